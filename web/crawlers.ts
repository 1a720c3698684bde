/** The search of `/crawlers`: asks the service for the same page while one types, and shows its list. Without a service it searches here. */
import { afterPause, find, isFile, show } from "./dom.ts";

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
// Going back has the service fill the form, too. Links within the page change nothing.
addEventListener("popstate", () => {
  if (location.search !== shown) location.reload();
});

// A service has filled the form of an address with a query, and shows its crawlers.
if (isFile && location.search !== "") {
  for (const [name, value] of new URLSearchParams(location.search)) {
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLInputElement || field instanceof HTMLSelectElement) field.value = value;
  }
  showResults(location.search, () => latest === 0).catch(sayNoAnswer);
}

async function search(): Promise<void> {
  const turn = ++latest;
  const filled = [...new FormData(form)].filter(([, value]) => value !== "") as [string, string][];
  const query = `?${new URLSearchParams(filled)}`;
  const address = form.getAttribute("action") + query;
  try {
    // An answer that was overtaken by a later one is not shown.
    if (!(await showResults(query, () => turn === latest))) return;
    if (isOpened) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    isOpened = false;
    shown = location.search;
  } catch {
    if (turn === latest) sayNoAnswer();
  }
}

/** Shows the crawlers of a query, if they are still wanted when they are there; resolves to whether they were. */
async function showResults(query: string, isWanted: () => boolean): Promise<boolean> {
  if (isFile) {
    const { searchCrawlers } = await import("./search-crawlers.ts");
    if (isWanted()) show(results, searchCrawlers(query));
    return isWanted();
  }
  const response = await fetch(form.getAttribute("action") + query);
  if (!response.ok) throw new Error(response.statusText);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const found = page.querySelector("#results");
  if (!isWanted() || found === null) return false;
  results.replaceChildren(...found.childNodes);
  return true;
}

function sayNoAnswer(): void {
  const message = document.createElement("p");
  message.className = "error";
  message.textContent = `${isFile ? "The search failed" : "The service does not answer"}. The last results are below.`;
  results.querySelector(".error")?.remove();
  results.prepend(message);
}
