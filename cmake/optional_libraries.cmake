# Libraries that only some commands need. Without one the program builds, and those commands say so.
#   CLP      the simplex solver of COIN-OR: `cospot workload reconstruct`
#   libcurl  HTTP: `cospot workload fetch`
find_path(COSPOT_CLP_INCLUDE_DIR Clp_C_Interface.h PATH_SUFFIXES coin)
find_library(COSPOT_CLP_LIBRARY Clp)
mark_as_advanced(COSPOT_CLP_INCLUDE_DIR COSPOT_CLP_LIBRARY)
find_package(CURL 7.85 QUIET)

# What links the library but uses no function of these (a test, the Python module) does not load
# them.
set(CMAKE_LINK_LIBRARY_USING_cospot_as_needed
  "LINKER:--push-state,--as-needed" "<LINK_ITEM>" "LINKER:--pop-state")
set(CMAKE_LINK_LIBRARY_USING_cospot_as_needed_SUPPORTED ${UNIX})
if(APPLE)
  set(CMAKE_LINK_LIBRARY_USING_cospot_as_needed_SUPPORTED OFF)
endif()
function(cospot_link_as_needed target library)
  if(CMAKE_LINK_LIBRARY_USING_cospot_as_needed_SUPPORTED)
    target_link_libraries(${target} INTERFACE $<LINK_LIBRARY:cospot_as_needed,${library}>)
  else()
    target_link_libraries(${target} INTERFACE ${library})
  endif()
endfunction()

add_library(cospot_optional_libraries INTERFACE)
if(COSPOT_CLP_INCLUDE_DIR AND COSPOT_CLP_LIBRARY)
  target_include_directories(cospot_optional_libraries SYSTEM INTERFACE ${COSPOT_CLP_INCLUDE_DIR})
  target_compile_definitions(cospot_optional_libraries INTERFACE COSPOT_HAS_CLP)
  cospot_link_as_needed(cospot_optional_libraries ${COSPOT_CLP_LIBRARY})
else()
  message(STATUS "CLP (coinor-libclp-dev) not found: no `cospot workload reconstruct`")
endif()
if(CURL_FOUND)
  target_compile_definitions(cospot_optional_libraries INTERFACE COSPOT_HAS_CURL)
  cospot_link_as_needed(cospot_optional_libraries CURL::libcurl)
else()
  message(STATUS "libcurl (libcurl4-openssl-dev) not found: no `cospot workload fetch`")
endif()
