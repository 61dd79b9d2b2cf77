" Colours for Fluxion, for buffers without a tree-sitter parser.
if exists("b:current_syntax")
  finish
endif

syntax keyword fluxionKeyword let rec and in fun if then else match with loop for while until do
syntax keyword fluxionImport import as
syntax keyword fluxionTypeWord type data
syntax keyword fluxionBoolean true false
syntax keyword fluxionDerivative deriv grad valueAndGrad jvp vjp jacobian hessian tangent integral root maxOver
syntax match fluxionType "\<\u\k*"
syntax match fluxionNumber "\<\d[0-9_]*\(\.\d[0-9_]*\)\?\([eE][+-]\?\d\+\)\?"
syntax match fluxionNumber "\<0x[0-9a-fA-F_]\+\|\<0b[01_]\+"
syntax match fluxionOperator "|>\|||\|&&\|==\|!=\|<=\|>=\|=>\|->\|\*\*\|\.\*\|[-+*/^<>=|×]"
syntax match fluxionComment "--.*$" contains=@Spell
syntax match fluxionDoc "--|.*$" contains=@Spell
syntax region fluxionComment start="{-" end="-}" contains=fluxionComment,@Spell
syntax region fluxionHole matchgroup=Delimiter start="{" end="}" contained contains=TOP
syntax region fluxionString start=+"+ skip=+\\"+ end=+"\|$+ contains=fluxionHole

highlight default link fluxionKeyword Keyword
highlight default link fluxionImport Include
highlight default link fluxionTypeWord Structure
highlight default link fluxionBoolean Boolean
highlight default link fluxionDerivative Function
highlight default link fluxionType Type
highlight default link fluxionNumber Number
highlight default link fluxionOperator Operator
highlight default link fluxionComment Comment
highlight default link fluxionDoc SpecialComment
highlight default link fluxionString String

let b:current_syntax = "fluxion"
