# Two ways to compile less often what many files have in common, both off with COSPOT_PRECOMPILE=OFF:
#   cospot_precompile   headers that many files of a target include, compiled once for all of them
#   cospot_batch        files of a target compiled a batch at a time (a unity build)
# The preset tidy leaves both out, so that clang-tidy finds a file that does not include what it uses.
# With ccache set CCACHE_SLOPPINESS=pch_defines,time_macros, or it caches no file that has such headers.
option(COSPOT_PRECOMPILE "Compile the headers that many files share once" ON)

# cospot_precompile(TARGET HEADER...): a header as it stands in the #include, brackets included. A
# file with compile definitions of its own sets SKIP_PRECOMPILE_HEADERS. No header that defines
# objects: each file would compile them, which takes 5 s for CLI11's.
function(cospot_precompile target)
  if(COSPOT_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional>
      <span> <string> <string_view> <utility> <vector> ${ARGN})
  endif()
endfunction()

# cospot_batch(TARGET FILES SOURCE...): compiles those sources of a target FILES at a time, each folder by
# itself. Most of what a file costs is its headers and the templates that it shares with its neighbours. No two
# of a folder may define one name in their unnamed namespaces.
function(cospot_batch target files)
  if(NOT COSPOT_PRECOMPILE)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(folder "")
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH parent)
    if(NOT parent STREQUAL folder)
      set(folder ${parent})
      set(number 0)
      cmake_path(RELATIVE_PATH parent BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
      string(MAKE_C_IDENTIFIER ${name} name)
    endif()
    math(EXPR group "${number} / ${files}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${group})
    math(EXPR number "${number} + 1")
  endforeach()
endfunction()
