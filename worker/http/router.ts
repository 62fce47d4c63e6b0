/** Finds the route of a request: by one regular expression, as far as paths can be told apart by one. */
import { type Result, type Router, UnsupportedPathError } from 'hono/router';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { TrieRouter } from 'hono/router/trie-router';
import { LruMap } from '../../proto/lru-map.ts';

/** Paths whose routes are remembered, and their longest. */
const KNOWN_MAX = 1_000;
const KNOWN_MAX_CHARACTERS = 256;

/**
 * The library's fastest router, and its general one for paths that the fastest does not take. Its
 * own choice between the two is for all paths at once, and one such path slows every request.
 * Paths of the first win over those of the second: where both fit, a word wins over a parameter.
 * What was found is remembered: the expression has a group for each route, and all of them are
 * allocated at each match.
 */
export class PathRouter<Handler> implements Router<Handler> {
  readonly name = 'PathRouter';
  readonly #fast = new RegExpRouter<Handler>();
  readonly #general = new TrieRouter<Handler>();
  readonly #known = new LruMap<string, Result<Handler>>(KNOWN_MAX);
  readonly #added: Parameters<Router<Handler>['add']>[] = [];

  /** Before the first `match` only. */
  add(method: string, path: string, handler: Handler): void {
    this.#added.push([method, path, handler]);
  }

  match(method: string, path: string): Result<Handler> {
    const name = `${method} ${path}`;
    const known = this.#known.get(name);
    if (known) return known;
    const found = this.#find(method, path);
    if (found[0].length > 0 && path.length <= KNOWN_MAX_CHARACTERS) this.#known.set(name, found);
    return found;
  }

  #find(method: string, path: string): Result<Handler> {
    // Not while the worker starts: the fastest throws for each path that it does not take. See docs/decisions/0034.
    if (this.#added.length > 0) for (const route of this.#added.splice(0)) this.#place(...route);
    const found = this.#fast.match(method, path);
    return found[0].length > 0 ? found : this.#general.match(method, path);
  }

  #place(method: string, path: string, handler: Handler): void {
    try {
      this.#fast.add(method, path, handler);
    } catch (thrown) {
      if (!(thrown instanceof UnsupportedPathError)) throw thrown;
      this.#general.add(method, path, handler);
    }
  }
}
