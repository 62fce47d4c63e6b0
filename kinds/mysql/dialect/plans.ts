/** Which statements a server has to prepare again for each run. */
import { LruMap } from '../../../proto/lru-map.ts';
import type { Catalog } from './catalog.ts';
import { viewNames } from './lexer.ts';
import { type Parsed, REMEMBERED_MAX_CHARACTERS } from './statement.ts';

/** How long an answer is valid, in milliseconds: a view made meanwhile is noticed after that. */
const ANSWER_MS = 60_000;

/** What is known of one pool's statements; remembered by text. */
export class Plans {
  readonly #answers = new LruMap<string, { readonly stale: boolean; readonly expires: number }>(
    2_000,
  );

  /**
   * Whether a second run of one preparation may answer what was true at the first. MariaDB keeps
   * that a table within `IN (SELECT …)`, `= ANY` or `<> ALL` was empty: a NULL on the left then stays
   * false, also where a view holds the inner SELECT. Seen with 10.11.
   */
  async goStale({ text, tokens, nested }: Parsed, catalog: Catalog): Promise<boolean> {
    if (nested) return true;
    const known = this.#answers.get(text);
    if (known && known.expires > Date.now()) return known.stale;
    const names = viewNames(tokens, new Set());
    const stale = names.length > 0 && (await catalog.views(names)).length > 0;
    if (text.length <= REMEMBERED_MAX_CHARACTERS) {
      this.#answers.set(text, { stale, expires: Date.now() + ANSWER_MS });
    }
    return stale;
  }
}
