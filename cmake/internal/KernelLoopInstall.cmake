# What find_package(KernelLoop) finds: the two programs, the headers, the CMake files, and the
# schemas for editors. A consumer needs none of the libraries that the programs stand on.
include_guard(GLOBAL)
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/KernelLoop")

foreach(program IN ITEMS kernelloop kernelloop-device)
  if(TARGET ${program})
    install(
      TARGETS ${program}
      EXPORT KernelLoopTargets
      RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
    )
    set(has_programs TRUE)
  endif()
endforeach()
if(TARGET kernelloop-device)
  install(
    PROGRAMS
      "${PROJECT_SOURCE_DIR}/tools/launchers/kernelloop-sbatch"
      "${PROJECT_SOURCE_DIR}/tools/launchers/kernelloop-ssh"
    DESTINATION "${CMAKE_INSTALL_BINDIR}"
  )
endif()
# A package without programs serves those who set KERNELLOOP_TOOL and KERNELLOOP_DEVICE_TOOL.
if(has_programs)
  install(EXPORT KernelLoopTargets NAMESPACE KernelLoop:: DESTINATION "${package_dir}")
endif()

install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/include/kernelloop"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
)
install(FILES "${PROJECT_SOURCE_DIR}/cmake/KernelLoop.cmake" DESTINATION "${package_dir}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/cmake/kernelloop" DESTINATION "${package_dir}")
foreach(data IN ITEMS schemas prompts prices context)
  if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/${data}")
    install(
      DIRECTORY "${PROJECT_SOURCE_DIR}/${data}"
      DESTINATION "${CMAKE_INSTALL_DATADIR}/kernelloop"
    )
  endif()
endforeach()

install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/tools/languages/adapters/"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/kernelloop/languages"
)

set(config_dir "${PROJECT_BINARY_DIR}/package")
cmake_path(
  RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR
  BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}/${package_dir}"
  OUTPUT_VARIABLE include_from_config
)
set(notes_dir "${CMAKE_INSTALL_FULL_DATADIR}/kernelloop/context")
cmake_path(
  RELATIVE_PATH notes_dir
  BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}/${package_dir}"
  OUTPUT_VARIABLE notes_from_config
)
configure_file(
  "${PROJECT_SOURCE_DIR}/cmake/KernelLoopConfig.cmake.in"
  "${config_dir}/KernelLoopConfig.cmake"
  @ONLY
)
# Before 1.0 every minor version may change the surface.
write_basic_package_version_file(
  "${config_dir}/KernelLoopConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion
)
install(
  FILES "${config_dir}/KernelLoopConfig.cmake" "${config_dir}/KernelLoopConfigVersion.cmake"
  DESTINATION "${package_dir}"
)
