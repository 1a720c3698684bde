/** Runs on every page: adds a button to everything that can be copied. */

for (const block of document.querySelectorAll<HTMLElement>(".copyable")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", () => copy(button, block.querySelector("pre")?.textContent ?? ""));
  block.append(button);
}

for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", `Copy ${link.closest("tr")?.querySelector("th")?.textContent ?? ""}`);
  button.addEventListener("click", async () => {
    try {
      const response = await fetch(link.href);
      if (!response.ok) throw new Error(response.statusText);
      await copy(button, await response.text());
    } catch {
      say(button, "No response");
    }
  });
  link.after(" ", button);
}

async function copy(button: HTMLButtonElement, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(button, "Copied");
  } catch {
    // Without HTTPS or permission, the clipboard is unavailable; a selection can still be copied by hand.
    const block = button.parentElement?.querySelector("pre");
    if (block) getSelection()?.selectAllChildren(block);
    say(button, block ? "Press Ctrl+C" : "Not allowed");
  }
}

function say(button: HTMLButtonElement, text: string): void {
  button.textContent = text;
  setTimeout(() => {
    button.textContent = "Copy";
  }, 2000);
}
