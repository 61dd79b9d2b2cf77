; Colours.

(comment) @comment
(block_comment) @comment
(doc_comment) @comment.documentation

(string) @string
(escape) @string.escape
(number) @number
(boolean) @constant.builtin

["import" "as"] @keyword.import
["let" "rec" "type" "data"] @keyword
(keyword) @keyword
(operator) @operator
["=" "->" "=>" "|" ":"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," "." ";"] @punctuation.delimiter

(identifier) @variable
(type_identifier) @type
(constructor name: (type_identifier) @constructor)
(import module: (identifier) @module)
(definition name: (identifier) @function)

((identifier) @function.builtin
  (#any-of? @function.builtin
    "deriv" "grad" "valueAndGrad" "jvp" "vjp" "jacobian" "hessian" "tangent" "integral" "integral01" "root" "maxOver"))
