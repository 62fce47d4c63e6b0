/** What a backend holds, as on the wire. Contract §13, `GET /endpoints/{e}/schema`. */
import * as z from 'zod';
import { NextCursor } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';

const Column = z
  .object({
    name: z.string().meta({ description: 'As requests name it', examples: ['name'] }),
    type: z.string().meta({ description: 'As results name it', examples: ['text'] }),
    nullable: z.boolean().meta({
      description: 'Whether it may be without a value',
      examples: [false],
    }),
  })
  .meta({
    id: 'SchemaColumn',
    description: 'A column of a table',
    examples: [{ name: 'name', type: 'text', nullable: false }],
  });

const Index = z
  .object({
    name: z.string().meta({ description: 'Its own name', examples: ['customers_city'] }),
    columns: z.array(z.string()).meta({
      description: "Names of columns, or expressions, in the index's order",
      examples: [['city']],
    }),
    unique: z.boolean().meta({
      description: 'Whether no two of its entries are alike',
      examples: [false],
    }),
  })
  .meta({
    id: 'SchemaIndex',
    description: 'An index of a table',
    examples: [{ name: 'customers_city', columns: ['city'], unique: false }],
  });

const TABLE = {
  name: 'customers',
  type: 'table',
  columns: [
    { name: 'id', type: 'integer', nullable: false },
    { name: 'name', type: 'text', nullable: false },
    { name: 'city', type: 'text', nullable: true },
  ],
  primary_key: ['id'],
  indexes: [
    { name: 'customers_city', columns: ['city'], unique: false },
    { name: 'customers_pkey', columns: ['id'], unique: true },
  ],
};

const Table = z
  .object({
    name: z.string().meta({ description: 'As requests name it', examples: ['customers'] }),
    type: z.string().meta({
      description: "In the backend's words: `table`, `view`, `materialized view`, `collection`, …",
      examples: ['table'],
    }),
    columns: z
      .array(Column)
      .meta({ description: 'In their order; empty where the backend keeps no schema' }),
    primary_key: z.array(z.string()).meta({
      description: "Names of columns in the key's order; empty without one",
      examples: [['id']],
    }),
    indexes: z.array(Index).meta({ description: 'By name' }),
  })
  .meta({
    id: 'SchemaTable',
    description: 'A table, view or collection',
    examples: [TABLE],
  });

/** A page of a backend's schema, by namespace and table. */
export const SchemaPage = z
  .object({
    namespaces: z
      .array(
        z
          .object({
            name: z.string().meta({
              description: 'Of the schema, database or keyspace',
              examples: ['public'],
            }),
            tables: z.array(Table).meta({ description: 'By name' }),
          })
          .meta({
            id: 'SchemaNamespace',
            description: 'A schema, database or keyspace, with its tables of this page',
            examples: [{ name: 'public', tables: [TABLE] }],
          }),
      )
      .meta({ description: 'By name; one may go on on the next page' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'SchemaPage',
    description: 'A page of what the backend holds',
    examples: [{ namespaces: [{ name: 'public', tables: [TABLE] }], next_cursor: SAMPLE.cursor }],
  });
export type SchemaPage = z.infer<typeof SchemaPage>;
