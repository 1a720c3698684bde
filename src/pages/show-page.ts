/** Answers with a page: frame, policy, and gzip where the client prefers it. */
import type { Answer } from "../service/answer.ts";
import type { RequestContext } from "../service/context.ts";
import { answerCoded } from "../service/representation.ts";
import { type Frame, type Page, pagePolicy, toPage } from "./layout.ts";

/** Answers with a page. */
export type ShowPage = (
  context: RequestContext,
  page: Page,
  status?: number,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** Makes the function that answers with pages in one frame. */
export function createShowPage(frame: Frame): ShowPage {
  return async (context, page, status = 200, headers = {}) => {
    const text = toPage(page, frame);
    const answer = await answerCoded(context, { contentType: "text/html; charset=utf-8" }, () => text);
    return {
      ...answer,
      status,
      headers: { "cache-control": "no-cache", ...answer.headers, ...headers, "content-security-policy": pagePolicy },
    };
  };
}
