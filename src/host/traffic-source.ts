// What the traffic page reads from the record, and who can see it. Queries that scan the record run at most every ten seconds.
import { authorizationOf, type TrafficSource } from "../pages/traffic-routes.ts";
import type { UserAgentRecord } from "../record/record.ts";
import type { RecordedString, RecordQuery } from "../record/store.ts";
import { hourMs, trafficKeptMs } from "../record/traffic.ts";
import { createBoundedCache } from "../verify/bounded-cache.ts";
import type { Configuration } from "./settings.ts";
import { createAuthorizer } from "./tokens.ts";

const keptMs = 10_000;
const maxAnswers = 50;

/** Makes the source; undefined if evaluated strings are not shown. */
export function createTrafficSource(record: UserAgentRecord, configuration: Configuration): TrafficSource | undefined {
  const { listEvaluated, tokens, listTokens } = configuration;
  if (listEvaluated === "none") return undefined;
  const needed = listEvaluated === "token" && listTokens.length > 0 ? listTokens : [...tokens, ...listTokens];
  const isShown = createAuthorizer(needed);
  const hasSignIn = listEvaluated === "token" || tokens.length > 0;
  const strings = remember(async (query: RecordQuery) => {
    for await (const page of record.list(query)) return page.map(toSeen);
    return [];
  });
  const kept = remember((sinceMs: number) => record.traffic(sinceMs));
  return {
    now: Date.now,
    hasSignIn,
    mayRead: (context) => !hasSignIn || isShown(authorizationOf(context)),
    hours: (sinceMs) => record.traffic(sinceMs),
    frequent: (limit) => strings({ order: "count", limit }),
    async fresh(sinceMs, limit) {
      const newest = await strings({ order: "first-seen", crawler: true, limit });
      return newest.filter(({ firstSeen }) => Date.parse(firstSeen) >= sinceMs);
    },
    async sightingsOf(name) {
      const hours = await kept(Math.floor((Date.now() - trafficKeptMs) / hourMs) * hourMs);
      const own = hours.filter(({ names }) => Object.hasOwn(names, name));
      return { count: own.reduce((sum, { names }) => sum + (names[name] ?? 0), 0), lastHour: own.at(-1)?.hour };
    },
  };
}

function toSeen({ useragent, crawler, name, count, firstSeen }: RecordedString) {
  return { useragent, crawler, name, count, firstSeen: new Date(firstSeen).toISOString() };
}

/** Gives answers again for a while; a failure is not kept. */
function remember<Question, Answer>(ask: (question: Question) => Promise<Answer>): typeof ask {
  const answers = createBoundedCache<Promise<Answer>>(maxAnswers, () => performance.now());
  return (question) => {
    const key = JSON.stringify(question);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = ask(question);
    answers.set(key, answer, keptMs);
    answer.catch(() => answers.set(key, answer, 0));
    return answer;
  };
}
