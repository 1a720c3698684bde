/** The search of `/crawlers`: fetches the same page from the service as you type, and shows its list. */
import { afterPause, find } from "./dom.ts";

const form = find<HTMLFormElement>("#search");
const results = find("#results");
let latest = 0;
/** What is shown now; the page that was opened stays in the history, one step back. */
let shown = location.search;
let isOpened = true;

form.addEventListener("input", afterPause(150, search));
form.addEventListener("submit", (event) => {
  event.preventDefault();
  search();
});
// Going back reloads the page, so that the service also fills in the form. Links within the page change nothing.
addEventListener("popstate", () => {
  if (location.search !== shown) location.reload();
});

async function search(): Promise<void> {
  const turn = ++latest;
  const filled = [...new FormData(form)].filter(([, value]) => value !== "") as [string, string][];
  const address = `${form.getAttribute("action")}?${new URLSearchParams(filled)}`;
  try {
    const response = await fetch(address);
    if (!response.ok) throw new Error(response.statusText);
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const found = page.querySelector("#results");
    // Ignores responses that arrive after a later request.
    if (turn !== latest || found === null) return;
    results.replaceChildren(...found.childNodes);
    if (isOpened) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    isOpened = false;
    shown = location.search;
  } catch {
    if (turn === latest) sayNoAnswer();
  }
}

function sayNoAnswer(): void {
  const message = document.createElement("p");
  message.className = "error";
  message.textContent = "The service is not responding. The last results are below.";
  results.querySelector(".error")?.remove();
  results.prepend(message);
}
