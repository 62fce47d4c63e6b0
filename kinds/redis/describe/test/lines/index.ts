/** The commands that the examples are, one a line, in the order of the examples: for tests alone. */
import { BIT_AND_PLACE_LINES } from './bits-and-places.ts';
import { COLLECTION_LINES } from './collections.ts';
import { KEY_LINES } from './keys.ts';
import { MODULE_LINES } from './modules.ts';
import { SEARCH_LINES } from './search.ts';
import { SERVER_LINES } from './server.ts';

/** As redis-cli takes them; a line that begins with `#` names a family. */
export const LINES = [
  KEY_LINES,
  COLLECTION_LINES,
  BIT_AND_PLACE_LINES,
  SEARCH_LINES,
  MODULE_LINES,
  SERVER_LINES,
].join('');
