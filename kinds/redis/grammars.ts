/** Members of commands by hand, where servers describe none or clients know other names. Source: backends.md §4.3. */
import { CORE } from './grammars/core.ts';
import { MODULES } from './grammars/modules.ts';
import { SEARCHES } from './grammars/search.ts';
import { SERVER } from './grammars/server.ts';

/** In the notation of grammar.ts, by the command's name. */
export const GRAMMARS: Readonly<Record<string, string>> = {
  ...CORE,
  ...SERVER,
  ...SEARCHES,
  ...MODULES,
};
