# Files that become part of a program as they are: the assembler of g++ and of clang copies them in
# (.incbin), which takes no time and no escaping.
enable_language(ASM)

# cospot_embed(TARGET NAME FILE...): the files, one after the other. C++ code declares them as
# extern "C" const char NAMEBegin[] and NAMEEnd[], the first byte and the one after the last.
function(cospot_embed target name)
  set(lines "")
  foreach(file IN LISTS ARGN)
    string(APPEND lines "  .incbin \"${file}\"\n")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.S)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
  .section .rodata
  .globl @name@Begin, @name@End
  .hidden @name@Begin, @name@End
@name@Begin:
@lines@@name@End:

  .section .note.GNU-stack, "", %progbits
]])
  target_sources(${target} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${ARGN}")
endfunction()
