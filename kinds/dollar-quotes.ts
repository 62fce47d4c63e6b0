/** Texts between tags in dollars, `$tag$ … $tag$`: where each of them ends, found by reading the text once. */

const TAG = /\$(?=([^$]*)\$)/g;

/** The tags of one text. */
export class DollarQuotes {
  readonly #text: string;
  /** By tag, with its dollars: where it is, in order, and how many of these were passed. */
  #places: Map<string, { readonly starts: number[]; passed: number }> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * Where a tag is next; -1 when it does not.
   * @param tag with its dollars
   * @param from never less than it was asked for before
   */
  next(tag: string, from: number): number {
    this.#places ??= this.#read();
    const places = this.#places.get(tag);
    if (places === undefined) return -1;
    while ((places.starts[places.passed] ?? Number.POSITIVE_INFINITY) < from) places.passed += 1;
    return places.starts[places.passed] ?? -1;
  }

  #read() {
    const found = new Map<string, { readonly starts: number[]; passed: number }>();
    for (const { 1: name = '', index } of this.#text.matchAll(TAG)) {
      const tag = `$${name}$`;
      const places = found.get(tag);
      if (places) places.starts.push(index);
      else found.set(tag, { starts: [index], passed: 0 });
    }
    return found;
  }
}
