package lsp

import (
	"encoding/json"

	"github.com/fluxion-lang/fluxion/internal/service"
)

// This file declares the parts of the Language Server Protocol 3.17 that are used, under the
// protocol's names.

type textDocument struct {
	URI     string `json:"uri"`
	Version int    `json:"version,omitempty"`
	Text    string `json:"text,omitempty"`
}

type documentParams struct {
	TextDocument textDocument `json:"textDocument"`
}

type positionParams struct {
	TextDocument textDocument     `json:"textDocument"`
	Position     service.Position `json:"position"`
}

type didChange struct {
	TextDocument   textDocument `json:"textDocument"`
	ContentChanges []struct {
		Range *service.Range `json:"range"`
		Text  string         `json:"text"`
	} `json:"contentChanges"`
}

type rangeParams struct {
	TextDocument textDocument  `json:"textDocument"`
	Range        service.Range `json:"range"`
}

type referenceParams struct {
	positionParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

type renameParams struct {
	positionParams
	NewName string `json:"newName"`
}

type location struct {
	URI   string        `json:"uri"`
	Range service.Range `json:"range"`
}

type diagnostic struct {
	Range    service.Range    `json:"range"`
	Severity int              `json:"severity"`
	Code     string           `json:"code,omitempty"`
	Source   string           `json:"source"`
	Message  string           `json:"message"`
	Related  []relatedMessage `json:"relatedInformation,omitempty"`
	Tags     []int            `json:"tags,omitempty"`
}

type relatedMessage struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type publishDiagnostics struct {
	URI         string       `json:"uri"`
	Version     int          `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

type hover struct {
	Contents markup        `json:"contents"`
	Range    service.Range `json:"range"`
}

type textEdit struct {
	Range   service.Range `json:"range"`
	NewText string        `json:"newText"`
}

type workspaceEdit struct {
	Changes map[string][]textEdit `json:"changes"`
}

type completionItem struct {
	Label         string     `json:"label"`
	Kind          int        `json:"kind"`
	Detail        string     `json:"detail,omitempty"`
	Documentation *markup    `json:"documentation,omitempty"`
	SortText      string     `json:"sortText"`
	TextEdit      *textEdit  `json:"textEdit"`
	Additional    []textEdit `json:"additionalTextEdits,omitempty"`
}

type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []completionItem `json:"items"`
}

type signatureHelp struct {
	Signatures      []signatureInformation `json:"signatures"`
	ActiveSignature int                    `json:"activeSignature"`
	ActiveParameter int                    `json:"activeParameter"`
}

type signatureInformation struct {
	Label         string      `json:"label"`
	Documentation *markup     `json:"documentation,omitempty"`
	Parameters    []parameter `json:"parameters"`
}

type parameter struct {
	Label [2]int `json:"label"` // UTF-16 units of the signature's label
}

type documentSymbol struct {
	Name           string           `json:"name"`
	Detail         string           `json:"detail,omitempty"`
	Kind           int              `json:"kind"`
	Range          service.Range    `json:"range"`
	SelectionRange service.Range    `json:"selectionRange"`
	Children       []documentSymbol `json:"children,omitempty"`
}

type foldingRange struct {
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Kind      string `json:"kind,omitempty"`
}

type inlayHint struct {
	Position service.Position `json:"position"`
	Label    string           `json:"label"`
	Kind     int              `json:"kind"`
}

type codeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []diagnostic   `json:"diagnostics,omitempty"`
	Edit        *workspaceEdit `json:"edit,omitempty"`
	IsPreferred bool           `json:"isPreferred,omitempty"`
}

type codeLens struct {
	Range   service.Range `json:"range"`
	Command command       `json:"command"`
}

type command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

type executeCommand struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// Constants of the protocol.
const (
	severityError   = 1
	severityWarning = 2
	tagUnnecessary  = 1
	messageError    = 1
	messageInfo     = 3
	inlayType       = 1
)

var completionKinds = map[service.ItemKind]int{
	service.VariableItem: 6, service.FunctionItem: 3, service.ConstructorItem: 20,
	service.TypeItem:   22,
	service.ModuleItem: 9, service.FieldItem: 5, service.KeywordItem: 14,
}

var symbolKinds = map[service.ItemKind]int{
	service.VariableItem: 13, service.FunctionItem: 12, service.ConstructorItem: 22,
	service.TypeItem: 23,
}

// tokenTypes lists the semantic token types in the order of service.TokenKind.
var tokenTypes = []string{"variable", "parameter", "function", "function", "enumMember", "type",
	"typeParameter", "namespace", "property"}

var tokenModifiers = []string{"declaration", "defaultLibrary"}
