/** Which actions of a list can come before which: one bit for each pair, so that thousands of actions take little memory. */

/** Bits of one word. */
const WORD = 32;

/** What leads to what, at whatever distance. */
export class Ancestors<Node> {
  readonly #at: ReadonlyMap<Node, number>;
  /** By the index of a node: the bits of those before it. */
  readonly #bits: Uint32Array;
  readonly #words: number;

  /** @param next the nodes that a node leads to directly; in a cycle, some ancestors are left out */
  constructor(nodes: readonly Node[], next: (node: Node) => readonly Node[]) {
    this.#at = new Map(nodes.map((node, at) => [node, at]));
    this.#words = Math.ceil(nodes.length / WORD);
    this.#bits = new Uint32Array(nodes.length * this.#words);
    for (const node of inOrder(nodes, next)) {
      for (const to of next(node)) this.#take(to, node);
    }
  }

  /** Whether one comes before another. */
  has(one: Node, other: Node): boolean {
    const [at, to] = [this.#at.get(one), this.#at.get(other)];
    if (at === undefined || to === undefined) return false;
    const word = this.#bits[to * this.#words + Math.floor(at / WORD)] ?? 0;
    return ((word >>> (at % WORD)) & 1) === 1;
  }

  /** What comes before one, and itself, comes before another. */
  #take(other: Node, one: Node): void {
    const [from, to] = [this.#at.get(one), this.#at.get(other)];
    if (from === undefined || to === undefined) return;
    const [start, end] = [from * this.#words, to * this.#words];
    for (let word = 0; word < this.#words; word += 1) {
      this.#bits[end + word] = (this.#bits[end + word] ?? 0) | (this.#bits[start + word] ?? 0);
    }
    const at = end + Math.floor(from / WORD);
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (from % WORD));
  }
}

/** Each node after all that lead to it; those of circles, and behind them, come last. Source: Kahn 1962. */
function inOrder<Node>(
  nodes: readonly Node[],
  next: (node: Node) => readonly Node[],
): readonly Node[] {
  const left = new Map<Node, number>(nodes.map((node) => [node, 0]));
  for (const node of nodes) for (const to of next(node)) left.set(to, (left.get(to) ?? 0) + 1);
  const found = nodes.filter((node) => left.get(node) === 0);
  for (let at = 0; at < found.length; at += 1) {
    const node = found[at];
    if (node === undefined) break;
    for (const to of next(node)) {
      const count = (left.get(to) ?? 0) - 1;
      left.set(to, count);
      if (count === 0) found.push(to);
    }
  }
  const known = new Set(found);
  return [...found, ...nodes.filter((node) => !known.has(node))];
}
