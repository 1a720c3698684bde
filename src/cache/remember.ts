/** Caches answers for a limited time. */
import { LRUCache } from "lru-cache";

const maxAnswers = 50;

/** Caches the answers of `ask` to the most recent questions for `keptMs`; failures are not cached. */
export function remember<Question, Answer>(ask: (question: Question) => Promise<Answer>, keptMs: number): typeof ask {
  const answers = new LRUCache<string, Promise<Answer>>({ max: maxAnswers, ttl: keptMs });
  return (question) => {
    const key = JSON.stringify(question) ?? "";
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = ask(question);
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    return answer;
  };
}
