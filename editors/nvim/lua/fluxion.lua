-- Fluxion in Neovim (0.7 or later): starts `fluxion lsp` for a buffer, and shows what code lenses give.
local M = {}

-- What require("fluxion").setup may change.
local options = { cmd = { "fluxion", "lsp" }, on_attach = nil }

function M.setup(given)
  options = vim.tbl_extend("force", options, given or {})
end

-- lines shows a text in a small window.
local function lines(text)
  vim.lsp.util.open_floating_preview(vim.split(text, "\n"), "", { border = "rounded", max_width = 120 })
end

-- show presents the result of a code lens. Its first line also stands beside the code, in a Neovim that has
-- inlay hints; a figure is opened by the system's viewer.
local function show(err, result)
  if err then
    vim.notify(err.message, vim.log.levels.ERROR)
    return
  end
  if not result then
    return
  end
  if result.file then
    local opener = vim.fn.has("mac") == 1 and "open" or vim.fn.has("win32") == 1 and "explorer" or "xdg-open"
    if vim.fn.executable(opener) == 1 then
      vim.fn.jobstart({ opener, result.file }, { detach = true })
      return
    end
  end
  lines(result.text)
end

-- execute runs a command of a code lens.
local function execute(command, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  client.request("workspace/executeCommand", { command = command.command, arguments = command.arguments }, show, context.bufnr)
end

for _, name in ipairs({ "fluxion.run", "fluxion.exact", "fluxion.gradients" }) do
  vim.lsp.commands[name] = execute
end

local clients = {}

local function attached(client, buffer)
  vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "BufWritePost" }, {
    buffer = buffer,
    callback = function()
      vim.lsp.codelens.refresh()
    end,
  })
  if vim.lsp.inlay_hint then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end
  if options.on_attach then
    options.on_attach(client, buffer)
  end
end

-- start connects the current buffer with a server. One server serves all buffers of a folder.
function M.start()
  local buffer = vim.api.nvim_get_current_buf()
  local folder = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ":p:h")
  local git = vim.fn.finddir(".git", folder .. ";")
  local root = git ~= "" and vim.fn.fnamemodify(git, ":p:h:h") or folder
  if not clients[root] or not vim.lsp.get_client_by_id(clients[root]) then
    clients[root] = vim.lsp.start_client({
      name = "fluxion",
      cmd = options.cmd,
      root_dir = root,
      init_options = { figures = true },
      capabilities = vim.lsp.protocol.make_client_capabilities(),
      on_attach = attached,
    })
  end
  if clients[root] then
    vim.lsp.buf_attach_client(buffer, clients[root])
  end
end

return M
