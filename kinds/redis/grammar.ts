/**
 * The notation in which a command's members are, in the order of their words:
 *
 *     key:k                 a member and the sort of word it becomes (see `Sort`); text without
 *     element/elements:v+   with another name; `+` takes one or a list
 *     [count:i@COUNT]       may be left out; preceded by the word COUNT
 *     [get+@@GET]           each preceded by the word
 *     'LIMIT'               the word itself
 *     [path?$]              `$` when left out
 *     vector^               may be given and says nothing
 *     ch!CH                 true adds the word
 *     numkeys#keys          how many `keys` are given; `##` how many words they become
 *     unit(M|KM|approx:~)   one of these words, in any letter case, or what is after a colon
 *     limit{offset:i count:i}   an object of members
 *     options<EX{seconds:i@EX}|KEEPTTL>   an object of one of these members, or its name;
 *                           `<=` takes any other text as the first of them
 */

/** What a member becomes: a key, text, value of any JSON, integer, number, bytes, JSON text, a stream's id, seconds as milliseconds, a rule of ACL, 32-bit floats. */
export type Sort = 'k' | 't' | 'v' | 'i' | 'd' | 'y' | 'j' | 's' | 'S' | 'A' | 'f';

/** A word that always is there. */
interface Literal {
  readonly is: 'literal';
  readonly word: string;
}

/** How many elements or words another member has. */
export interface Count {
  readonly is: 'count';
  readonly names: readonly string[];
  readonly of: string;
  readonly ofWords: boolean;
}

/** What all members have. */
interface MemberBase {
  readonly names: readonly string[];
  readonly optional: boolean;
  readonly many: boolean;
  /** The word before it. */
  readonly token: string | undefined;
  /** Whether each of many has the word before it. */
  readonly repeats: boolean;
}

export interface Value extends MemberBase {
  readonly is: 'value';
  readonly sort: Sort;
  /** The word that is there when it is left out. */
  readonly otherwise: string | undefined;
}
/** What clients may say although it is known. */
interface Ignored {
  readonly is: 'ignored';
  readonly names: readonly string[];
}
export interface Flag {
  readonly is: 'flag';
  readonly names: readonly string[];
  readonly word: string;
}
export interface Enumeration extends MemberBase {
  readonly is: 'enumeration';
  /** By their plain names. */
  readonly words: ReadonlyMap<string, string>;
  /** As a person may write them. */
  readonly written: readonly string[];
}
export interface Block extends MemberBase {
  readonly is: 'block';
  readonly scope: Scope;
}
export interface Choice extends MemberBase {
  readonly is: 'choice';
  /** By their plain names. */
  readonly alternatives: ReadonlyMap<string, Scope>;
  /** Whether a text that names none of them is the first one's. */
  readonly isBare: boolean;
  readonly written: readonly string[];
}

export type Member = Value | Flag | Enumeration | Block | Choice;
export type Node = Literal | Count | Ignored | Member;

/** Members side by side. */
export interface Scope {
  readonly nodes: readonly Node[];
  /** By plain name: which node is meant, and the name within it when it is one of that node's own. */
  readonly slots: ReadonlyMap<string, { readonly at: number; readonly within?: string }>;
}

/** A name without what does not tell it from others: letter case, `_` and `-`. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

/** Reads the notation. */
export function grammarOf(text: string): Scope {
  return scopeOf(new NotationReader(text).nodes());
}

/** A word as it goes out. */
const WORD = /[^ \]}>|]+/y;

/** The notation's text, read from left to right. */
class NotationReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** All nodes until the end, or a sign that closes what they are in. */
  nodes(): Node[] {
    const nodes: Node[] = [];
    while (true) {
      this.#take(/ */y);
      if (this.#at === this.#text.length || '}]>|'.includes(this.#next())) return nodes;
      nodes.push(this.#node());
    }
  }

  #node(): Node {
    if (this.#skip("'")) return { is: 'literal', word: this.#closedBy("'") };
    const optional = this.#skip('[');
    const names = this.#take(/[\w/-]+/y).split('/');
    const node = this.#named(names, optional);
    if (optional) this.#expect(']');
    return node;
  }

  #named(names: readonly string[], optional: boolean): Node {
    if (this.#skip('^')) return { is: 'ignored', names };
    if (this.#skip('!')) return { is: 'flag', names, word: this.#take(WORD) };
    if (!this.#skip('#')) return this.#member(names, optional);
    return { is: 'count', names, ofWords: this.#skip('#'), of: this.#take(/\w+/y) };
  }

  #member(names: readonly string[], optional: boolean): Member {
    const body = this.#body();
    const many = this.#skip('+');
    const isMarked = this.#skip('@');
    const repeats = isMarked && this.#skip('@');
    const token = isMarked ? this.#take(WORD) : undefined;
    return { ...body, names, optional, many, token, repeats };
  }

  #body() {
    if (this.#skip('(')) return enumerationOf(this.#closedBy(')').split('|'));
    if (this.#skip('{')) {
      const scope = scopeOf(this.nodes());
      this.#expect('}');
      return { is: 'block' as const, scope };
    }
    if (this.#skip('<')) return this.#choice();
    // The notation knows no other letters.
    const sort = this.#skip(':') ? (this.#take(/\w/y) as Sort) : 't';
    const otherwise = this.#skip('?') ? this.#take(/[^ \]}>|]*/y) : undefined;
    return { is: 'value' as const, sort, otherwise };
  }

  #choice() {
    const alternatives = new Map<string, Scope>();
    const written: string[] = [];
    const isBare = this.#skip('=');
    do {
      const [first = '', ...others] = this.#take(/[^{|>]+/y).split('/');
      const isWord = !this.#skip('{');
      const nodes: Node[] = isWord ? [{ is: 'literal', word: first }] : this.nodes();
      if (!isWord) this.#expect('}');
      const scope = scopeOf(nodes);
      written.push(first);
      for (const name of [first, ...others]) alternatives.set(plainName(name), scope);
    } while (this.#skip('|'));
    this.#expect('>');
    return { is: 'choice' as const, alternatives, written, isBare };
  }

  #next(): string {
    return this.#text.charAt(this.#at);
  }

  #skip(sign: string): boolean {
    if (this.#next() !== sign) return false;
    this.#at++;
    return true;
  }

  #expect(sign: string): void {
    if (!this.#skip(sign)) throw new Error(`${sign} is missing at ${this.#at} of ${this.#text}`);
  }

  #closedBy(sign: string): string {
    const end = this.#text.indexOf(sign, this.#at);
    const text = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    return text;
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }
}

function enumerationOf(choices: readonly string[]) {
  const words = new Map<string, string>();
  const written: string[] = [];
  for (const choice of choices) {
    const [names = '', word] = choice.split(':');
    const [first = '', ...others] = names.split('/');
    written.push(first);
    for (const name of [first, ...others]) words.set(plainName(name), word ?? first.toUpperCase());
  }
  return { is: 'enumeration' as const, words, written };
}

function scopeOf(nodes: readonly Node[]): Scope {
  const slots = new Map<string, { at: number; within?: string }>();
  const claim = (name: string, slot: { at: number; within?: string }) => {
    if (!slots.has(name)) slots.set(name, slot);
  };
  for (const [at, node] of nodes.entries()) {
    if (node.is === 'literal') continue;
    for (const name of node.names) claim(plainName(name), { at });
  }
  for (const [at, node] of nodes.entries()) {
    if (node.is === 'literal' || node.is === 'count' || node.is === 'ignored') continue;
    for (const name of node.names) claim(otherNumber(plainName(name)), { at });
    for (const name of namesWithin(node)) claim(name, { at, within: name });
  }
  return { nodes, slots };
}

/** The same name of one or of many. */
function otherNumber(name: string): string {
  return name.endsWith('s') ? name.slice(0, -1) : `${name}s`;
}

/** What may be next to the other members, too. */
function namesWithin(node: Member): readonly string[] {
  if (node.is === 'value' || node.is === 'flag' || node.many) return [];
  if (node.is === 'enumeration') return [...node.words.keys()];
  if (node.is === 'choice') {
    const scopes = [...node.alternatives.values()];
    return [...node.alternatives.keys(), ...scopes.flatMap(({ slots }) => [...slots.keys()])];
  }
  return [...node.scope.slots.keys()];
}
