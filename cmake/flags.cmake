# Every target of the project links cospot_flags: warnings, sanitizers and the floating-point rules.
add_library(cospot_flags INTERFACE)
target_compile_features(cospot_flags INTERFACE cxx_std_20)
target_include_directories(cospot_flags INTERFACE ${PROJECT_SOURCE_DIR})
# No contraction: a fused multiply-add rounds once where the formula rounds twice, so the same
# weight would differ between machines.
target_compile_options(cospot_flags INTERFACE
  -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-psabi)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in "text" + std::string that are not there (its bug 105651).
  # It also sees uninitialised strings in aggregates with member initialisers (its bug 105562), and
  # writes beyond a short string where it has inlined both its ways (its bug 105329).
  target_compile_options(cospot_flags INTERFACE -Wno-restrict -Wno-maybe-uninitialized
    -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Nothing replaces a function of these libraries at load time, so they may be inlined although the
  # code is position-independent; clang assumes that by itself.
  target_compile_options(cospot_flags INTERFACE -fno-semantic-interposition)
  # GCC looks for garbage in its own memory every 128 MB; leaving it there up to 256 MB is as fast as never looking.
  target_compile_options(cospot_flags INTERFACE --param=ggc-min-heapsize=262144)
endif()
if(COSPOT_WERROR)
  target_compile_options(cospot_flags INTERFACE -Werror)
endif()
if(NOT COSPOT_SANITIZE)
  # Debian's hardening, as files of others are read. FORTIFY is undefined first, as some compilers bring one of their own.
  target_compile_options(cospot_flags INTERFACE -fstack-protector-strong -Wformat -Werror=format-security
    $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  target_link_options(cospot_flags INTERFACE -Wl,-z,relro -Wl,-z,now)
else()
  target_compile_options(cospot_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(cospot_flags INTERFACE -fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # As a library, as with g++: a Python that loads it first runs our programs too, and two copies of
    # it in one process refuse to work.
    execute_process(
      COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so
      OUTPUT_VARIABLE asan_runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
    cmake_path(GET asan_runtime PARENT_PATH asan_folder)
    target_link_options(cospot_flags INTERFACE -shared-libasan -Wl,-rpath,${asan_folder})
  endif()
endif()

# The checks of libstdc++, for all but the libraries of policies and sim_harness/provider, where the simulation is:
# with all of this everywhere `compare` took 12 % more user time (median of 9 pairs of 432 allocators on a sample
# of CoSpot's, one thread, g++ 12), with it in sim_harness alone 8 %, and 2 % (8 pairs) with the hardening above
# but without these checks in the policies and the loop. In the readers (base, data) and customer/ they cost 0 to 2 %
# of reading, converting, `compare` and deadlines (medians of 7 or 9 pairs on a busy machine).
add_library(cospot_assertions INTERFACE)
target_compile_definitions(cospot_assertions INTERFACE _GLIBCXX_ASSERTIONS)
