# SPDX-License-Identifier: Apache-2.0
# What goes where, one component per package: libjoulie1 (the shared object), libjoulie-dev (headers, link, .pc, CMake
# package), and one per program with its man page.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Joulie)

install(TARGETS joulie EXPORT JoulieTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libjoulie1 NAMELINK_COMPONENT libjoulie-dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/joulie DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT libjoulie-dev FILES_MATCHING PATTERN *.h)

install(EXPORT JoulieTargets NAMESPACE Joulie:: DESTINATION ${package_dir} COMPONENT libjoulie-dev)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/JoulieConfig.cmake.in ${PROJECT_BINARY_DIR}/JoulieConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
configure_file(${CMAKE_CURRENT_LIST_DIR}/JoulieConfigVersion.cmake.in
  ${PROJECT_BINARY_DIR}/JoulieConfigVersion.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/JoulieConfig.cmake ${PROJECT_BINARY_DIR}/JoulieConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT libjoulie-dev)

# Written when it is installed, since only then the prefix is known (cmake --install --prefix).
install(CODE "
  set(libdir \"${CMAKE_INSTALL_LIBDIR}\")
  set(includedir \"${CMAKE_INSTALL_INCLUDEDIR}\")
  foreach(folder libdir includedir)
    if(NOT IS_ABSOLUTE \"\${\${folder}}\")
      set(\${folder} \"\\\${prefix}/\${\${folder}}\")
    endif()
  endforeach()
  set(description \"${PROJECT_DESCRIPTION}\")
  set(version \"${PROJECT_VERSION}\")
  configure_file(\"${PROJECT_SOURCE_DIR}/pkgconfig/libjoulie.pc.in\" \"${PROJECT_BINARY_DIR}/libjoulie.pc\" @ONLY)
" COMPONENT libjoulie-dev)
install(FILES ${PROJECT_BINARY_DIR}/libjoulie.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libjoulie-dev)

# joulie_install_program(TARGET COMPONENT MAN-PAGE)
function(joulie_install_program target component page)
  install(TARGETS ${target} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
  install(CODE "
    set(folder \"${CMAKE_INSTALL_BINDIR}\")
    if(NOT IS_ABSOLUTE \"\${folder}\")
      set(folder \"\${CMAKE_INSTALL_PREFIX}/\${folder}\")
    endif()
    file(RPATH_REMOVE FILE \"\$ENV{DESTDIR}\${folder}/$<TARGET_FILE_NAME:${target}>\")
  " COMPONENT ${component})
  install(FILES ${PROJECT_SOURCE_DIR}/docs/man/${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${component})
endfunction()

# joulie_install_unit(NAME COMPONENT): where the program is, is known when it is installed, too. The unit of a service is read
# below lib of /usr and of /usr/local; its file in /etc/joulie is a package's (daemons/deploy/etc).
function(joulie_install_unit name component)
  install(CODE "
    set(CMAKE_INSTALL_FULL_BINDIR \"${CMAKE_INSTALL_BINDIR}\")
    if(NOT IS_ABSOLUTE \"\${CMAKE_INSTALL_FULL_BINDIR}\")
      set(CMAKE_INSTALL_FULL_BINDIR \"\${CMAKE_INSTALL_PREFIX}/\${CMAKE_INSTALL_FULL_BINDIR}\")
    endif()
    configure_file(\"${PROJECT_SOURCE_DIR}/daemons/deploy/systemd/${name}.service.in\"
      \"${PROJECT_BINARY_DIR}/systemd/${name}.service\" @ONLY)
  " COMPONENT ${component})
  install(FILES ${PROJECT_BINARY_DIR}/systemd/${name}.service DESTINATION lib/systemd/system COMPONENT ${component})
endfunction()

if(JOULIE_PROGRAMS)
  foreach(program agent operator scheduler simulator)
    joulie_install_program(joulie_${program} joulie-${program} joulie-${program}.1)
    joulie_install_unit(joulie-${program} joulie-${program})
  endforeach()
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/crds DESTINATION ${CMAKE_INSTALL_DATADIR}/joulie-operator
    COMPONENT joulie-operator FILES_MATCHING PATTERN *.yaml)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/daemons/deploy/power/power-ipmi DESTINATION lib/joulie
    COMPONENT joulie-operator)
  set(monitoring ${PROJECT_SOURCE_DIR}/deploy/kustomize/monitoring)
  install(FILES ${monitoring}/rules.yaml ${monitoring}/dashboard.json
    DESTINATION ${CMAKE_INSTALL_DATADIR}/joulie-operator/monitoring COMPONENT joulie-operator)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/examples/demo/inventory.yaml
    DESTINATION ${CMAKE_INSTALL_DATADIR}/joulie-simulator COMPONENT joulie-simulator)

  joulie_install_program(joulie_capd joulie-agent joulie-capd.1)
  joulie_install_program(joulie_rescue joulie-agent joulie-rescue.1)
  joulie_install_unit(joulie-rescue joulie-agent)
  joulie_install_unit(joulie-capd joulie-agent)
  install(FILES ${PROJECT_SOURCE_DIR}/daemons/deploy/systemd/joulie-capd.socket DESTINATION lib/systemd/system
    COMPONENT joulie-agent)
  joulie_install_program(joulie_cli joulie-tools joulie.1)
  # the plugin of kubectl and its completion: links beside the program
  install(FILES ${PROJECT_BINARY_DIR}/bin/kubectl-joulie ${PROJECT_BINARY_DIR}/bin/kubectl_complete-joulie
    DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT joulie-tools)
  if(NOT CMAKE_CROSSCOMPILING)
    install(FILES ${PROJECT_BINARY_DIR}/completion/joulie.bash RENAME joulie
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT joulie-tools)
    install(FILES ${PROJECT_BINARY_DIR}/completion/joulie.zsh RENAME _joulie
      DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT joulie-tools)
    install(FILES ${PROJECT_BINARY_DIR}/completion/joulie.fish
      DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT joulie-tools)
  endif()
endif()
