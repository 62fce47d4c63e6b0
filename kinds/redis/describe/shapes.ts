/** What clients of a Redis endpoint send and get, for the API's description. */
import * as z from 'zod';
import type { KindShapes } from '../../kind.ts';
import { JsonValue, kindMember, patchOf, TimeoutMs } from '../../members.ts';
import { RedisResult, Results } from '../../results.ts';
import { RedisConfig } from '../config.ts';
import { PIPELINE_MAX } from '../request.ts';
import { signatureOf } from '../signature.ts';
import { TYPES } from '../types.ts';
import type { Examples } from './examples/examples.ts';
import { FAMILIES } from './examples/index.ts';

const Words = z.array(JsonValue).meta({
  description:
    'The words after the name, in place of members: text, numbers, `{"$bytes": base64}`; anything else is sent as its JSON text',
  examples: [['greeting', 'hello', 'EX', 60]],
});

const COMMON = {
  args: Words.optional(),
  kind: kindMember('Redis'),
  timeout_ms: TimeoutMs,
};

/** Of one family of commands; a member that a command does not have is refused. */
function familySchema(family: string, types: readonly string[], examples: Examples) {
  const [first = ''] = types;
  return z
    .looseObject({
      type: z.enum(types as [string, ...string[]]).meta({
        description: 'Name of the command, in any letter case',
        examples: [first],
      }),
      ...COMMON,
    })
    .meta({
      id: `Redis${family.replace(/(?:^|[ -])(.)/g, (_, letter: string) => letter.toUpperCase())}`,
      // Made when they are looked at: a program that starts looks at none.
      get description() {
        const says = types.map(signatureOf).join('; ');
        return `${family}. Members of each command, in brackets where they may be left out: ${says}`;
      },
      get examples() {
        return types.map((type) => ({ type, ...(examples[type] ?? { args: [] }) }));
      },
    });
}

const Pipeline = z
  .array(
    z
      .looseObject({
        type: z.string().meta({ description: 'Name of a command', examples: ['get'] }),
        args: Words.optional(),
      })
      .meta({
        id: 'RedisPipelined',
        description: 'A command with its members, or its words in `args`; without `timeout_ms`',
        examples: [{ type: 'get', key: 'greeting' }],
      }),
  )
  .min(1)
  .max(PIPELINE_MAX)
  .meta({
    description: 'Commands that go out in one trip; each has its own result or error',
    examples: [
      [
        { type: 'incr', key: 'visits' },
        { type: 'get', args: ['greeting'] },
      ],
    ],
  });
const { kind, timeout_ms } = COMMON;
const PIPELINED = [
  { type: 'incr', key: 'visits' },
  { type: 'get', args: ['greeting'] },
];
const PipelineRequest = z
  .strictObject({
    type: z.literal('pipeline').meta({ description: 'May as well be left out' }),
    pipeline: Pipeline,
    kind,
    timeout_ms,
  })
  .meta({
    id: 'RedisPipeline',
    description: 'Many commands at once; it writes when one of them does',
    examples: [{ type: 'pipeline', pipeline: PIPELINED }],
  });
const BarePipeline = z.strictObject({ pipeline: Pipeline, kind, timeout_ms }).meta({
  id: 'RedisBarePipeline',
  description: 'Many commands at once',
  examples: [{ pipeline: PIPELINED }],
});

const Raw = z
  .strictObject({
    type: z.enum(['raw_command', 'raw_command_read_only']).meta({
      description: 'The latter refuses what may write',
      examples: ['raw_command_read_only'],
    }),
    command: z.union([z.string().min(1), Words]).meta({
      description: 'A line with quotes as redis-cli takes them, or the words',
      examples: ['GET greeting'],
    }),
    kind,
    timeout_ms,
  })
  .meta({
    id: 'RedisRaw',
    description: 'A command as a line',
    examples: [{ type: 'raw_command_read_only', command: 'GET greeting' }],
  });

const AnyCommand = z
  .strictObject({
    type: z
      .string()
      .min(1)
      .meta({
        description: 'Name of a command that is not listed: of a newer server, or of a module',
        examples: ['graph.query'],
      }),
    ...COMMON,
    args: Words,
  })
  .meta({
    id: 'RedisAnyCommand',
    description: 'Any command by its words; one that is not known is taken for a write',
    examples: [{ type: 'graph.query', args: ['shop', 'MATCH (c) RETURN c'] }],
  });

const shown = new Set(Object.values(FAMILIES).flatMap(Object.keys));
const others = Object.keys(TYPES).filter(
  (type) => !shown.has(type) && type !== 'pipeline' && !type.startsWith('raw_command'),
);
const [first, ...more] = Object.entries(FAMILIES).map(([family, examples]) =>
  familySchema(family, Object.keys(examples), examples),
);
const Others = familySchema('Other commands', others, {});
const families = [first ?? Others, ...more, Others, Raw] as const;

/** `{request: {…}}`. Contract §6. */
function wrapped(id: string, request: z.ZodType) {
  return z.strictObject({ request: request.meta({ description: 'The request itself' }) }).meta({
    id,
    description: 'A request in a member of its own',
    examples: [{ request: { type: 'get', key: 'greeting' } }],
  });
}

const Request = z
  .discriminatedUnion('type', [...families, PipelineRequest])
  .meta({ id: 'RedisRequest', description: 'A request to a Redis endpoint, told by its `type`' });
const Operation = z
  .discriminatedUnion('type', [...families])
  .meta({ id: 'RedisCommandOperation', description: 'One command of a transaction' });

/** Every form of a request, and of what it answers. Contract §6. */
export const shapes: KindShapes = {
  configPatch: patchOf(RedisConfig).meta({
    id: 'RedisConfigPatch',
    description:
      'Changes of a configuration: a connection that is given replaces the whole one, null removes a member',
    examples: [{ write_conn: { host: 'cache.example.com', tls: true, auth: 'n3w-s3cr3t' } }],
  }),
  body: z
    .union([
      Request,
      BarePipeline,
      AnyCommand,
      wrapped('RedisWrappedRequest', z.union([Request, BarePipeline, AnyCommand])),
    ])
    .meta({ id: 'RedisBody', description: 'A request to a Redis endpoint, in any of its forms' }),
  results: [RedisResult, Results],
  operation: z
    .union([
      Operation,
      AnyCommand,
      wrapped('RedisWrappedOperation', z.union([Operation, AnyCommand])),
    ])
    .meta({ id: 'RedisOperation', description: 'One command of a transaction' }),
  outcomes: [RedisResult],
};
