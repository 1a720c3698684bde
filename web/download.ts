/** Buttons that save what the page has made; nothing leaves the page for it. */

/** Makes a button that saves the text of `make` as a file. */
export function downloadButton(label: string, fileName: string, type: string, make: () => string | Promise<string>) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "secondary";
  button.textContent = label;
  button.addEventListener("click", async () => {
    const address = URL.createObjectURL(new Blob([await make()], { type }));
    const link = document.createElement("a");
    link.href = address;
    link.download = fileName;
    link.click();
    URL.revokeObjectURL(address);
  });
  return button;
}
