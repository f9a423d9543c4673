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

# cospot_batch(TARGET MOST TOGETHER SOURCE...): compiles those sources of a target at most MOST at a time. Most of what
# a file costs is its headers and the templates that it shares with its neighbours. TOGETHER is a regular
# expression for the start of their paths from here; files in which it matches the same text may share a batch,
# and no two of these may define one name in their unnamed namespaces (tests/python/test_names.py).
function(cospot_batch target most together)
  if(NOT COSPOT_PRECOMPILE)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(folders "")
  foreach(source IN LISTS ARGN)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE path)
    set(folder files)
    if(together AND path MATCHES "^(${together})")
      string(MAKE_C_IDENTIFIER ${CMAKE_MATCH_1} folder)
    endif()
    list(APPEND folders ${folder})
    list(APPEND paths_${folder} ${path})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    cospot_split(${most} batch_${folder} ${paths_${folder}})
  endforeach()
endfunction()

# Halves a batch of more than MOST files until each part has no more, by a hash of the paths: so a new file changes
# no batch but its own, which it joins or splits, and no two older files meet that were apart.
function(cospot_split most batch)
  list(LENGTH ARGN count)
  if(count LESS_EQUAL most)
    set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${batch})
    return()
  endif()
  set(half_0 "")
  set(half_1 "")
  foreach(path IN LISTS ARGN)
    string(MD5 hash "${batch} ${path}")
    if(hash MATCHES "^[0-7]")
      list(APPEND half_0 ${path})
    else()
      list(APPEND half_1 ${path})
    endif()
  endforeach()
  foreach(half 0 1)
    if(half_${half})
      cospot_split(${most} ${batch}${half} ${half_${half}})
    endif()
  endforeach()
endfunction()
