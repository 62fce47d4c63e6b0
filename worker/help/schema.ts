/** What `GET /help` answers, as on the wire. Contract §13, `GET /help`. */
import * as z from 'zod';
import { kindSpec, kinds } from '../../kinds/index.ts';
import { LEVELS } from '../levels.ts';
import { VERSION } from './version.ts';

const OPERATION = {
  method: 'POST',
  path: '/api/v1/endpoints/{endpoint}/read',
  summary: 'Run a request that changes nothing',
  level: 'Read',
};
const TYPE = { type: 'query', mode: 'read' };
const LINKS = { documentation: '/docs', openapi: '/openapi.json', health: '/healthz' };

const OperationLine = z
  .object({
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).meta({
      description: 'The method; where two serve alike, each is an operation',
      examples: [OPERATION.method],
    }),
    path: z.string().meta({
      description: 'The path from the root, with parameters as `{name}`',
      examples: [OPERATION.path],
    }),
    summary: z.string().meta({ description: 'What it does', examples: [OPERATION.summary] }),
    level: z.enum(['Public', 'Member', ...LEVELS]).meta({
      description: 'The level it needs; `Member` is any, `Public` needs no token',
      examples: [OPERATION.level],
    }),
  })
  .meta({ id: 'HelpOperation', description: 'One operation', examples: [OPERATION] });

const RequestType = z
  .object({
    type: z.string().meta({ description: 'As requests name it', examples: [TYPE.type] }),
    mode: z.enum(['read', 'write']).meta({
      description: 'Types that write are not taken on `/read`',
      examples: [TYPE.mode],
    }),
  })
  .meta({ id: 'HelpRequestType', description: 'A type of request', examples: [TYPE] });

const KindLine = z
  .object({
    kind: z.string().meta({
      description: 'As the API writes it',
      examples: [kindSpec('postgres').label],
    }),
    types: z.array(RequestType).meta({ description: 'The requests that its endpoints take' }),
  })
  .meta({
    id: 'HelpKind',
    description: 'A kind of endpoint',
    examples: [{ kind: kinds.postgres.label, types: [TYPE] }],
  });

const Links = z
  .object({
    documentation: z.string().meta({
      description: 'A page with all operations, for people',
      examples: [LINKS.documentation],
    }),
    openapi: z.string().meta({
      description: 'The same for programs, in OpenAPI 3.1',
      examples: [LINKS.openapi],
    }),
    health: z.string().meta({
      description: 'Whether the gateway takes requests',
      examples: [LINKS.health],
    }),
  })
  .meta({ description: 'Paths beside the API, from the root; none needs a token' });

/** The whole answer; `links` is an addition. */
export const Help = z
  .object({
    name: z.string().meta({ description: 'Name of the program', examples: ['Causeway'] }),
    version: z.string().meta({ description: 'Its version', examples: [VERSION] }),
    documentation: z.string().meta({
      description: 'Where the documentation is',
      examples: [LINKS.documentation],
    }),
    operations: z.array(OperationLine).meta({ description: 'Every operation there is' }),
    kinds: z.array(KindLine).meta({ description: 'Every kind of endpoint that is served' }),
    links: Links,
  })
  .meta({
    id: 'Help',
    description: 'What this gateway can do',
    examples: [
      {
        name: 'Causeway',
        version: VERSION,
        documentation: LINKS.documentation,
        operations: [OPERATION],
        kinds: [{ kind: kinds.postgres.label, types: [TYPE] }],
        links: LINKS,
      },
    ],
  });
export type Help = z.infer<typeof Help>;
