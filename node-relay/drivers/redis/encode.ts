/** Writes commands as RESP's lists of strings. */
import type { RedisCommand, Word } from '../../../kinds/redis/command.ts';

/** Names kept as they travel; callers may make some up. */
const NAMES_MAX = 1_000;

/** A command's name on the wire and how many words it is. */
interface EncodedName {
  readonly words: number;
  readonly text: string;
}

const names = new Map<string, EncodedName>();

function nameOf(type: string): EncodedName {
  const known = names.get(type);
  if (known) return known;
  const words = type.split(' ').filter((word) => word !== '');
  const name = { words: words.length, text: words.map(stringText).join('') };
  if (names.size >= NAMES_MAX) names.clear();
  names.set(type, name);
  return name;
}

function stringText(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}

/** Bytes of commands, collected to be written at once. */
export class Encoder {
  #text = '';
  #parts: Buffer[] = [];
  #partBytes = 0;

  /** Bytes so far; of text at least. */
  get size(): number {
    return this.#partBytes + this.#text.length;
  }

  add(command: RedisCommand): void {
    const name = nameOf(command.type);
    this.#text += `*${name.words + command.args.length}\r\n${name.text}`;
    for (const word of command.args) {
      if (typeof word === 'string') this.#text += `$${Buffer.byteLength(word)}\r\n${word}\r\n`;
      else this.#bytes(word);
    }
  }

  /** All that was added since the last time. */
  take(): string | Buffer {
    const text = this.#text;
    this.#text = '';
    if (this.#parts.length === 0) return text;
    const whole = Buffer.concat([...this.#parts, Buffer.from(text)]);
    this.#parts = [];
    this.#partBytes = 0;
    return whole;
  }

  #bytes({ $bytes }: Exclude<Word, string>): void {
    const bytes = Buffer.from($bytes, 'base64');
    const before = Buffer.from(`${this.#text}$${bytes.length}\r\n`);
    this.#parts.push(before, bytes);
    this.#partBytes += before.length + bytes.length;
    this.#text = '\r\n';
  }
}
