/** A queue that gives up its items one by one without moving the others. */

/** First in, first out. */
export class Queue<Item> {
  #items: (Item | undefined)[] = [];
  #first = 0;

  get head(): Item | undefined {
    return this.#items[this.#first];
  }

  get empty(): boolean {
    return this.#first === this.#items.length;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.#items[this.#first];
    this.#items[this.#first] = undefined;
    this.#first += 1;
    if (this.#first === this.#items.length || this.#first > 1_000) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}
