// The client: it starts `fluxion lsp` and shows what its commands give. All else is the server's.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;
let output;

// executed shows the result of a command of a code lens. The first line also stands beside the code; a table
// is shown whole, and a figure is drawn.
function executed(result) {
  if (!result) return result;
  if (result.figure) {
    const panel = vscode.window.createWebviewPanel("fluxion.figure", "Figure", vscode.ViewColumn.Beside, {});
    panel.webview.html =
      `<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:">` +
      `<body style="background:white"><img style="width:100%" alt="figure" src="${result.figure}">`;
  } else if (result.text && result.text.includes("\n")) {
    output.clear();
    output.append(result.text);
    output.show(true);
  }
  return result;
}

function start() {
  const settings = vscode.workspace.getConfiguration("fluxion");
  const server = { command: settings.get("command"), args: ["lsp", ...settings.get("arguments")] };
  client = new LanguageClient("fluxion", "Fluxion", server, {
    documentSelector: [{ language: "fluxion" }],
    outputChannel: output,
    initializationOptions: { figures: true },
    middleware: {
      executeCommand: async (command, args, next) => {
        try {
          return executed(await next(command, args));
        } catch (error) {
          vscode.window.showErrorMessage(error.message);
        }
      },
    },
  });
  return client.start().catch((error) => {
    vscode.window.showErrorMessage(`Fluxion: ${server.command} lsp does not start: ${error.message}`);
  });
}

exports.activate = async (context) => {
  output = vscode.window.createOutputChannel("Fluxion");
  context.subscriptions.push(output);
  context.subscriptions.push(
    vscode.commands.registerCommand("fluxion.restart", async () => {
      await client?.stop();
      await start();
    }),
  );
  await start();
};

exports.deactivate = () => client?.stop();
