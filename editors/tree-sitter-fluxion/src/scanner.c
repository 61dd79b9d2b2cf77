#include <string.h>
#include <tree_sitter/parser.h>

// TOP has no width: it stands where a declaration starts. Brackets aside, that is where a line starts in
// the first column with something that cannot continue the line above it.
//
// IN_STRING is never made. That it is valid tells that the text is that of a string, in which `{-` starts a hole.
enum { TOP, BLOCK_COMMENT, IN_STRING };

void *tree_sitter_fluxion_external_scanner_create(void) { return NULL; }
void tree_sitter_fluxion_external_scanner_destroy(void *payload) {}
unsigned tree_sitter_fluxion_external_scanner_serialize(void *payload, char *buffer) { return 0; }
void tree_sitter_fluxion_external_scanner_deserialize(void *payload, const char *buffer, unsigned length) {}

static bool is_letter(int32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// continues tells whether a word goes on with what is above it.
static bool continues(const char *word) {
  static const char *const words[] = {"then", "else", "in", "and", "with", "do"};
  for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(word, words[i]) == 0) return true;
  }
  return false;
}

// is_symbol tells operators from letters, beyond ASCII.
static bool is_symbol(int32_t c) {
  return c == 0xb7 || c == 0xd7 || c == 0xf7 || (c >= 0x2190 && c <= 0x2201) || (c >= 0x2227 && c <= 0x2228) ||
         (c >= 0x2260 && c <= 0x22ff);
}

// starts_declaration looks at what follows, behind the end of the token.
static bool starts_declaration(TSLexer *lexer) {
  int32_t c = lexer->lookahead;
  if (is_letter(c)) {
    char word[8] = {0};
    unsigned n = 0;
    while ((is_letter(lexer->lookahead) || (lexer->lookahead >= '0' && lexer->lookahead <= '9')) && n < sizeof word - 1) {
      word[n++] = (char)lexer->lookahead;
      lexer->advance(lexer, false);
    }
    return !continues(word);
  }
  if (c == '-') {
    lexer->advance(lexer, false);
    return lexer->lookahead != '-' && lexer->lookahead != '>';
  }
  if (c == '{') {
    lexer->advance(lexer, false);
    return lexer->lookahead != '-';
  }
  return (c >= '0' && c <= '9') || c == '"' || c == '(' || c == '[' || c == '\\' || (c > 0x7f && !is_symbol(c));
}

// block_comment reads the rest of a comment, which may hold others, after its `{-`.
static bool block_comment(TSLexer *lexer) {
  for (unsigned depth = 1; depth > 0;) {
    int32_t c = lexer->lookahead;
    if (lexer->eof(lexer)) break;
    lexer->advance(lexer, false);
    if (c == '{' && lexer->lookahead == '-') {
      depth++;
      lexer->advance(lexer, false);
    } else if (c == '-' && lexer->lookahead == '}') {
      depth--;
      lexer->advance(lexer, false);
    }
  }
  lexer->mark_end(lexer);
  lexer->result_symbol = BLOCK_COMMENT;
  return true;
}

bool tree_sitter_fluxion_external_scanner_scan(void *payload, TSLexer *lexer, const bool *valid) {
  if (valid[IN_STRING]) return false;
  bool first = lexer->get_column(lexer) == 0;
  while (lexer->lookahead == ' ' || lexer->lookahead == '\t' || lexer->lookahead == '\r' || lexer->lookahead == '\n' ||
         lexer->lookahead == 0xfeff) {
    first = lexer->lookahead == '\n' || (first && lexer->lookahead == 0xfeff);
    lexer->advance(lexer, true);
  }
  if (lexer->eof(lexer)) return false;
  lexer->mark_end(lexer);
  bool brace = lexer->lookahead == '{';
  if (valid[TOP] && first && starts_declaration(lexer)) {
    lexer->result_symbol = TOP;
    return true;
  }
  if (!brace || !valid[BLOCK_COMMENT]) return false;
  if (!(valid[TOP] && first)) lexer->advance(lexer, false); // else it has been read already
  if (lexer->lookahead != '-') return false;
  lexer->advance(lexer, false);
  return block_comment(lexer);
}
