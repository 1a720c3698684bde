/** Asks detectors about corpora: who is wrong about which strings. */
import type { Corpus, Wanted } from "./corpora.ts";

/** What a detector got wrong in a corpus. */
export interface Outcome {
  readonly corpus: Corpus;
  /** In the order of the corpus. */
  readonly wrong: readonly string[];
}

/** One outcome a corpus; each distinct string is asked about once. */
export function measure(isCrawler: (useragent: string) => boolean, corpora: readonly Corpus[]): Outcome[] {
  const answers = new Map<string, boolean>();
  const answerTo = (useragent: string): boolean => {
    let answer = answers.get(useragent);
    if (answer === undefined) {
      answer = isCrawler(useragent);
      answers.set(useragent, answer);
    }
    return answer;
  };
  return corpora.map((corpus) => ({
    corpus,
    wrong: corpus.strings.filter((useragent) => answerTo(useragent) !== (corpus.wanted === "crawler")),
  }));
}

/** Several corpora of one label as one, each string once. */
export function union(name: string, wanted: Wanted, corpora: readonly Corpus[]): Corpus {
  const strings = corpora.filter((corpus) => corpus.wanted === wanted).flatMap((corpus) => corpus.strings);
  return { name, source: "", owner: "", wanted, strings: [...new Set(strings)].sort() };
}
