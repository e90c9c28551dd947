// node tab.mjs SITE DRIVE CELLS: runs cells through the kernel of a built site, as its page does.
// DRIVE is the folder where the page keeps files, CELLS a JSON list of sources. Prints a JSON list:
// of each cell the status that its page is told, and the texts that it shows.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";

const [site, drive, cells] = process.argv.slice(2);
const packages = `${site}/static/pyodide/`;
const extension = `${site}/extensions/@jupyterlite/pyodide-kernel-extension/static/pypi/`;
const plain = (value) => value.toJs({ dict_converter: Object.fromEntries });

const { loadPyodide } = await import(`${packages}pyodide.mjs`);
const python = await loadPyodide({ indexURL: packages });
const kernels = readdirSync(extension).filter((name) => /^(ipykernel|pyodide_kernel)/.test(name));
await python.loadPackage(["ipython", "comm", "jedi", ...kernels.map((name) => extension + name)], {
  messageCallback: () => {},
});
mkdirSync(`${drive}/notebooks/chapter`, { recursive: true });
python.FS.mkdir("/drive");
python.FS.mount(python.FS.filesystems.NODEFS, { root: drive }, "/drive");
python.FS.chdir("/drive/notebooks/chapter");

let told = "";
const shown = (data) => {
  told += plain(data)["text/plain"] ?? "";
};
const { stdout_stream, stderr_stream, ipython_shell, kernel_instance } =
  python.pyimport("pyodide_kernel");
for (const stream of [stdout_stream, stderr_stream]) {
  stream.publish_stream_callback = (_, text) => {
    told += text;
  };
}
ipython_shell.display_pub.display_data_callback = shown;
ipython_shell.display_pub.update_display_data_callback = shown;
ipython_shell.display_pub.clear_output_callback = () => {};
ipython_shell.displayhook.publish_execution_result = (_, data) => shown(data);
ipython_shell.send_comm = () => {};

const ran = [];
for (const source of JSON.parse(readFileSync(cells, "utf8"))) {
  told = "";
  const said = plain(await kernel_instance.run(source));
  const trace = said.status === "error" ? said.traceback.join("\n") : "";
  ran.push({ status: said.status, told: told + trace });
}
process.stdout.write(JSON.stringify(ran), () => process.exit(0));
