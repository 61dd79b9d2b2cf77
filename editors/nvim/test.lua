-- Neovim's own client against `fluxion lsp`:
--
--   nvim --headless -u NONE --cmd "set runtimepath+=editors/nvim" -l … or, before 0.9,
--   nvim --headless -u NONE --cmd "set runtimepath+=editors/nvim" -c "luafile editors/nvim/test.lua"
--
-- FLUXION is the command. Neovim ends with an error if something fails.
local function fail(message)
  io.stderr:write("FAILED: " .. message .. "\n")
  vim.cmd("cquit 1")
end

local function check(what, ok, found)
  if not ok then
    fail(what .. ": " .. vim.inspect(found))
  end
  io.stdout:write("ok: " .. what .. "\n")
end

local folder = vim.fn.tempname()
vim.fn.mkdir(folder, "p")
local path = folder .. "/program.flx"
vim.fn.writefile({
  "data Shape = Disc Real | Square Real",
  "",
  "--| The area of a shape.",
  "let area (s : Shape) : Real =",
  "  match s with",
  "  | Disc r -> po * r^2",
  "",
  "let loss (x : Real)=x^2",
  "",
  "area (Disc 2)",
}, path)

require("fluxion").setup({ cmd = { os.getenv("FLUXION") or "fluxion", "lsp" } })
vim.cmd("filetype plugin on")
vim.cmd("syntax on")
vim.cmd("edit " .. path)
local buffer = vim.api.nvim_get_current_buf()
check("the file type", vim.bo.filetype == "fluxion", vim.bo.filetype)

local function findings()
  return vim.diagnostic.get(buffer)
end

local function ask(method, params)
  local answers, err = vim.lsp.buf_request_sync(buffer, method, params, 10000)
  if err or not answers then
    fail(method .. ": " .. vim.inspect(err))
  end
  for _, answer in pairs(answers) do
    if answer.error then
      fail(method .. ": " .. vim.inspect(answer.error))
    end
    return answer.result
  end
end

local function at(line, character)
  return { textDocument = vim.lsp.util.make_text_document_params(buffer), position = { line = line, character = character } }
end

local function range(line, from, to)
  return {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    range = { start = { line = line, character = from }, ["end"] = { line = line, character = to } },
    context = { diagnostics = {} },
  }
end

local function has(what)
  return vim.wait(20000, function()
    for _, d in ipairs(findings()) do
      if d.message:find(what, 1, true) then
        return true
      end
    end
    return false
  end, 20)
end

local function apply(title, params)
  for _, action in ipairs(ask("textDocument/codeAction", params)) do
    if action.title:find(title, 1, true) then
      vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
      return
    end
  end
  fail("there is no action " .. title)
end

check("a diagnostic", has("po"), findings())
apply("pi", range(5, 14, 14))
check("a hint that is an edit", vim.fn.getline(6) == "  | Disc r -> pi * r^2", vim.fn.getline(6))
check("a missing case", has("Square"), findings())
apply("missing arms", range(4, 2, 2))
check("the missing arm", vim.fn.getline(7):find("| Square", 1, true), vim.fn.getline(7))

vim.api.nvim_buf_set_lines(buffer, 6, 7, false, { "  | Square a -> a^2" })
check("no diagnostics after it is mended", vim.wait(20000, function()
  return #findings() == 0
end, 20), findings())

local hover = ask("textDocument/hover", at(3, 5))
check("hover", hover.contents.value:find("The area of a shape", 1, true), hover)
local completion = ask("textDocument/completion", at(5, 15))
check("completion", #completion.items > 0, completion)
local definition = ask("textDocument/definition", at(10, 1))
check("definition", definition.range.start.line == 3, definition)
local lenses = ask("textDocument/codeLens", { textDocument = vim.lsp.util.make_text_document_params(buffer) })
check("code lenses", #lenses >= 3, lenses)

local shown
vim.lsp.util.open_floating_preview = function(text)
  shown = table.concat(text, "\n")
end
vim.lsp.codelens.refresh()
for _, lens in ipairs(lenses) do
  if lens.command.command == "fluxion.run" then
    local id
    for k in pairs(vim.lsp.buf_get_clients(buffer)) do
      id = k
    end
    vim.lsp.commands["fluxion.run"](lens.command, { client_id = id, bufnr = buffer })
  end
end
check("the result of a lens", vim.wait(20000, function()
  return shown and shown:find("12.566", 1, true)
end, 20), shown)

vim.lsp.util.apply_text_edits(ask("textDocument/formatting", {
  textDocument = vim.lsp.util.make_text_document_params(buffer),
  options = { tabSize = 2, insertSpaces = true },
}), buffer, "utf-16")
check("formatting", vim.fn.getline(9) == "let loss (x : Real) = x^2", vim.fn.getline(9))

local edit = ask("textDocument/rename", vim.tbl_extend("force", at(8, 5), { newName = "cost" }))
vim.lsp.util.apply_workspace_edit(edit, "utf-16")
check("renaming", vim.fn.getline(9) == "let cost (x : Real) = x^2", vim.fn.getline(9))
vim.cmd("qall!")
