/** What the API says about itself. Spec: "Help". Contract §13, `GET /help`. */
import { type Kind, kindSpec, kinds } from '../../kinds/index.ts';
import { anyMember } from '../access/access.ts';
import { JsonBytes } from '../outcome.ts';
import { type AnyRoute, route } from '../route.ts';
import { operationLines } from './lines.ts';
import { Help } from './schema.ts';
import { VERSION } from './version.ts';

/** @param all the whole API, which these routes are part of */
export function helpRoutes(all: () => readonly AnyRoute[]): AnyRoute[] {
  let written: Uint8Array | undefined;
  const bytes = () => (written ??= new TextEncoder().encode(JSON.stringify(helpOn(all()))));
  return [
    route({
      method: 'GET',
      path: '/help',
      summary: 'Tell the operations of the API and the kinds of endpoint',
      description:
        'With the level that each operation needs, the types of requests that each kind of endpoint takes, and links to the documentation.',
      tag: 'Help',
      errors: [],
      access: anyMember,
      changes: 'nothing',
      reply: 'bare',
      result: Help,
      handle: async () => new JsonBytes(bytes()),
    }),
  ];
}

function helpOn(routes: readonly AnyRoute[]): Help {
  return {
    name: 'Causeway',
    version: VERSION,
    documentation: '/docs',
    operations: operationLines(routes),
    kinds: (Object.keys(kinds) as Kind[]).map(kindLine), // The registry's own keys.
    links: { documentation: '/docs', openapi: '/openapi.json', health: '/healthz' },
  };
}

function kindLine(kind: Kind): Help['kinds'][number] {
  const { label, types } = kindSpec(kind);
  return { kind: label, types: Object.entries(types).map(([type, mode]) => ({ type, mode })) };
}
