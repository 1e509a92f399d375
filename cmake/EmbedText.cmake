# rheo_embed_text(OUT variable FILE path NAMESPACE ns FUNCTION name)
# Makes a source file that defines `std::string_view <ns>::<name>()` giving the text of FILE, and
# puts its path into `variable`. The text must not contain `)rheo_text"`.
function(rheo_embed_text)
  cmake_parse_arguments(E "" "OUT;FILE;NAMESPACE;FUNCTION" "" ${ARGN})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded_${E_FUNCTION}.cc)
  set(script ${CMAKE_SOURCE_DIR}/cmake/EmbedTextStep.cmake)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DIN=${E_FILE} -DOUT=${out} -DNAMESPACE=${E_NAMESPACE}
            -DFUNCTION=${E_FUNCTION} -P ${script}
    DEPENDS ${E_FILE} ${script}
    COMMENT "Embedding ${E_FILE}"
    VERBATIM)
  set(${E_OUT} ${out} PARENT_SCOPE)
endfunction()
