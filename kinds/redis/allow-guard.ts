/** Decides which commands name only what `config.allow` opens. Spec: keys-and-doors.md §4. */
import { type AllowedNames, notAllowed, undecided } from '../allow.ts';
import { isPipeline, type RedisCommand, type RedisRequest, type Word } from './command.ts';
import { namedBy } from './named.ts';

/** Lets commands pass that name only what is open. */
export class AllowGuard {
  readonly #open: AllowedNames;

  constructor(open: AllowedNames) {
    this.#open = open;
  }

  /** @throws GatewayError FORBIDDEN */
  admit(request: RedisRequest): void {
    if (!isPipeline(request)) {
      this.#command(request, 'type');
      return;
    }
    for (const [at, command] of request.pipeline.entries()) {
      this.#command(command, `pipeline.${at}.type`);
    }
  }

  /** Whether a key is open, or all of a pattern in the servers' own form. */
  opens(name: string): boolean {
    return this.#open.opens(name) || this.#isInside(name);
  }

  #command(command: RedisCommand, path: string): void {
    const named = namedBy(command);
    if (named === undefined) throw undecided(command.type, path);
    for (const word of named.keys) {
      const key = utf8Text(word);
      if (key === undefined || !this.#open.opens(key)) throw notAllowed('Key', key ?? BINARY, path);
    }
    for (const word of named.patterns) {
      const pattern = utf8Text(word);
      if (pattern === undefined || !this.#isInside(pattern)) {
        throw notAllowed('Pattern', pattern ?? BINARY, path);
      }
    }
  }

  /** Up to its first special sign a pattern is what all its names begin with. */
  #isInside(pattern: string): boolean {
    const special = pattern.search(/[*?[\]\\]/);
    if (special < 0) return this.#open.opens(pattern);
    return this.#open.opensAllBegunBy(pattern.slice(0, special));
  }
}

const BINARY = '(binary)';

/** Undefined where a name is no text. */
function utf8Text(word: Word): string | undefined {
  if (typeof word === 'string') return word;
  const bytes = Uint8Array.from(atob(word.$bytes), (each) => each.charCodeAt(0));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
