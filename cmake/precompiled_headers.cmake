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

# cospot_batch(TARGET FILES TOGETHER SOURCE...): compiles those sources of a target FILES at a time. Most of what a
# file costs is its headers and the templates that it shares with its neighbours. TOGETHER is a regular
# expression for the start of their paths from here; files in which it matches the same text may share a batch,
# and no two of these may define one name in their unnamed namespaces.
function(cospot_batch target files together)
  if(NOT COSPOT_PRECOMPILE)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
    set(folder "")
    if(together AND path MATCHES "^(${together})")
      string(MAKE_C_IDENTIFIER ${CMAKE_MATCH_1} folder)
    endif()
    if(NOT DEFINED number_${folder})
      set(number_${folder} 0)
    endif()
    math(EXPR group "${number_${folder}} / ${files}")
    math(EXPR number_${folder} "${number_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP batch_${folder}${group})
  endforeach()
endfunction()
