# Run by rheo_embed_text() at build time: writes OUT, which defines NAMESPACE::FUNCTION().
file(READ "${IN}" text)
file(WRITE "${OUT}" "#include <string_view>\n\nnamespace ${NAMESPACE} {\n\n")
file(APPEND "${OUT}" "std::string_view ${FUNCTION}() {\n  return R\"rheo_text(")
file(APPEND "${OUT}" "${text}")
file(APPEND "${OUT}" ")rheo_text\";\n}\n\n}  // namespace ${NAMESPACE}\n")
