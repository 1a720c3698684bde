/** Answers with a page: frame, content security policy, and gzip if the client prefers it. */
import type { Answer } from "../service/http/answer.ts";
import type { RequestContext } from "../service/http/context.ts";
import { answerCoded } from "../service/http/representation.ts";
import { type Frame, type Page, pageHeaders, toPage } from "./layout.ts";

/** Answers with a page. */
export type ShowPage = (
  context: RequestContext,
  page: Page,
  status?: number,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** Headers of pages that show the record: caches must not keep them for other visitors. */
export const privately = { "cache-control": "no-store" };

/** Makes the function that answers with pages in one frame. */
export function createShowPage(frame: Frame): ShowPage {
  return async (context, page, status = 200, headers = {}) => {
    const text = toPage(page, frame);
    const answer = await answerCoded(context, { contentType: pageHeaders["content-type"] }, () => text);
    return { ...answer, status, headers: { ...pageHeaders, ...answer.headers, ...headers } };
  };
}
