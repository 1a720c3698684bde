/** What the pure folders may use beyond the language: every browser, Node, Bun, Deno and worker has it. */
declare function atob(base64: string): string;
