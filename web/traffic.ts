/** Keeps an open `/traffic` current: updates it with what the service renders, while the page is visible. */
import { find } from "./dom.ts";

const live = find<HTMLElement>("#live");

/** As long as the service keeps its figures. */
const refreshMs = 10_000;

/** Asks the service for this page, and takes over what it says now. */
async function refresh(): Promise<void> {
  if (document.hidden) return;
  try {
    const response = await fetch(location.href, { signal: AbortSignal.timeout(refreshMs) });
    if (!response.ok) throw new Error(response.statusText);
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    for (const part of ["#totals", "#figures", "#drawing", "#intervals"]) replace(find(part), find(part, fresh));
    find<HTMLElement>("#chart").hidden = find<HTMLElement>("#chart", fresh).hidden;
    live.textContent = "Live";
  } catch {
    live.textContent = "Not live: these are the last figures. The page retries every 10 seconds.";
  }
}

function replace(shown: Element, fresh: Element): void {
  // Leaves unchanged parts alone, so that tooltips and the focus stay.
  if (shown.innerHTML === fresh.innerHTML) return;
  // Instructions are not replaced while someone is reading or copying them.
  if (shown.querySelector(".connect") && fresh.querySelector(".connect")) return;
  shown.replaceChildren(...fresh.childNodes);
}

live.textContent = "Live";
setInterval(refresh, refreshMs);
document.addEventListener("visibilitychange", refresh);
