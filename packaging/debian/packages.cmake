# Debian packages by CPack, from one build: `scripts/build-deb.sh`, or `cpack -G DEB` in a build folder.
#   cospot            the program, its manual page, completion and examples
#   python3-cospot    the Python package with its compiled module, the host of Python policies, cospot-nova
#   cospot-evictor    the service: unit, configuration, system user
# The components below are for packages alone; `cmake --install` leaves them out.
if(TARGET _core AND TARGET cospot_python_host)
  set(Python3_EXECUTABLE ${COSPOT_PYTHON})
  find_package(Python3 3.11 QUIET COMPONENTS Interpreter)
endif()
if(NOT Python3_FOUND)
  message(STATUS "Debian packages: left out, because they need Python >= 3.11 and Python policies")
  return()
endif()

set(packaging ${PROJECT_SOURCE_DIR}/packaging)
set(release 1)
# What has to be made: compressed pages, metadata and commands of the Python package. For all three packages: CPack
# installs the component of the first one first.
set(made ${CMAKE_BINARY_DIR}/deb)
install(CODE "execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND
    \"${Python3_EXECUTABLE}\" \"${packaging}/debian/make_files.py\" --build \"${CMAKE_BINARY_DIR}\"
    --version ${PROJECT_VERSION} --release ${release} --to \"${made}\")"
  COMPONENT program EXCLUDE_FROM_ALL)
foreach(component IN ITEMS program python_package evictor)
  install(DIRECTORY ${made}/${component}/ DESTINATION . USE_SOURCE_PERMISSIONS
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()

# Not in share/doc, which the images of Debian for containers leave out. Of the examples those that need no clone.
install(DIRECTORY examples DESTINATION share/cospot USE_SOURCE_PERMISSIONS
  COMPONENT program EXCLUDE_FROM_ALL
  PATTERN __pycache__ EXCLUDE PATTERN notebooks/source EXCLUDE PATTERN quickstart.sh EXCLUDE
  PATTERN make.py EXCLUDE REGEX "examples/(broker-practice|lifetime_models|nova|papers|plan)$" EXCLUDE)
install(FILES README.md DESTINATION share/doc/cospot COMPONENT program EXCLUDE_FROM_ALL)
install(DIRECTORY docs DESTINATION share/doc/cospot COMPONENT program EXCLUDE_FROM_ALL)

set(modules lib/python3/dist-packages)
install(DIRECTORY python/cospot DESTINATION ${modules} COMPONENT python_package EXCLUDE_FROM_ALL
  PATTERN __pycache__ EXCLUDE)
install(TARGETS _core LIBRARY DESTINATION ${modules}/cospot COMPONENT python_package EXCLUDE_FROM_ALL)
install(FILES ${CMAKE_BINARY_DIR}/python/cospot/_core.pyi DESTINATION ${modules}/cospot
  COMPONENT python_package EXCLUDE_FROM_ALL)
install(TARGETS cospot_python_host LIBRARY DESTINATION lib/cospot
  COMPONENT python_package EXCLUDE_FROM_ALL)
install(FILES examples/nova/nova.conf examples/nova/provider.yaml docs/nova/cospot-scheduler.conf.sample
  DESTINATION share/doc/python3-cospot/examples COMPONENT python_package EXCLUDE_FROM_ALL)

install(FILES examples/nova/cospot-evictor.service DESTINATION /lib/systemd/system
  COMPONENT evictor EXCLUDE_FROM_ALL)
# Its passwords are for the service alone, whose group the package makes.
install(FILES examples/nova/cospot-evictor.conf DESTINATION /etc/cospot
  PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ COMPONENT evictor EXCLUDE_FROM_ALL)
install(FILES docs/nova/cospot-evictor.conf.sample
  DESTINATION share/doc/cospot-evictor/examples COMPONENT evictor EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cospot)
set(CPACK_PACKAGE_CONTACT "The cospot maintainers <maintainers@users.noreply.cospot.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # CPack would begin each description with it
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program python_package evictor)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${release})
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(version ${PROJECT_VERSION}-${release})

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME cospot)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
"Spot instances for cloud providers: compare policies by simulation
Simulates a provider's datacenter, or a customer's jobs on spot markets, under
every combination of policies, sizes and workloads of a study file, and says
which earns most, at what cost and how sure that is.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "python3-cospot (= ${version}), tzdata")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "python3-sklearn")

# The module is compiled for one minor version of Python.
set(python ${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR})
math(EXPR next "${Python3_VERSION_MINOR} + 1")
set(CPACK_DEBIAN_PYTHON_PACKAGE_PACKAGE_NAME python3-cospot)
set(CPACK_DEBIAN_PYTHON_PACKAGE_PACKAGE_SECTION python)
set(CPACK_COMPONENT_PYTHON_PACKAGE_DESCRIPTION
"Spot instances for cloud providers: Python package, Nova scheduler
The simulator and its policies as a Python package; the filter and weigher by
which OpenStack Nova places spot instances; cospot-nova, the operator's
commands; the library by which cospot runs policies written in Python.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_PACKAGE_DEPENDS
  "python3 (>= ${python}), python3 (<< ${Python3_VERSION_MAJOR}.${next}), python3-numpy, python3-oslo.config")
set(CPACK_DEBIAN_PYTHON_PACKAGE_PACKAGE_SUGGESTS
  "python3-nova (>= 2:26), python3-pandas, python3-matplotlib, python3-sklearn, python3-statsmodels, python3-tqdm")
set(CPACK_DEBIAN_PYTHON_PACKAGE_PACKAGE_CONTROL_EXTRA
  ${packaging}/debian/python3-cospot/postinst ${packaging}/debian/python3-cospot/prerm)

set(CPACK_DEBIAN_EVICTOR_PACKAGE_NAME cospot-evictor)
set(CPACK_DEBIAN_EVICTOR_PACKAGE_SECTION net)
set(CPACK_DEBIAN_EVICTOR_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_EVICTOR_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_EVICTOR_DESCRIPTION
"Spot instances for cloud providers: evictor service for OpenStack Nova
Deletes as many spot instances of a host as a VM that Nova has placed there
needs, and no more. The service starts when the administrator has configured
and enabled it, not before.")
set(CPACK_DEBIAN_EVICTOR_PACKAGE_DEPENDS
"python3-cospot (>= ${version}), python3:any, adduser, python3-keystoneauth1, python3-oslo.config, python3-oslo.log, \
python3-oslo.messaging, python3-tooz, python3-prometheus-client")
set(CPACK_DEBIAN_EVICTOR_PACKAGE_SUGGESTS "python3-sqlalchemy, python3-pymysql")
foreach(script IN ITEMS postinst prerm postrm conffiles)
  list(APPEND CPACK_DEBIAN_EVICTOR_PACKAGE_CONTROL_EXTRA
    ${packaging}/debian/cospot-evictor/${script})
endforeach()
include(CPack)
