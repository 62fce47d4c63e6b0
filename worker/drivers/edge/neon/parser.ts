/** PostgreSQL's own parser at the edge, loaded with the first statement that is looked at. */
/// <reference path="./wasm.d.ts" />
import type {
  ParsedStatement,
  Parser,
  ParserAnswer,
} from '../../../../kinds/postgres/dialect/parser.ts';
import { hasParser, useParser } from '../../../../kinds/postgres/dialect/parser.ts';
import { serverRefusal } from '../../../../kinds/postgres/dialect/parser-refusal.ts';
import { isTree } from '../../../../kinds/postgres/dialect/tree.ts';
import { type CompiledModule, type Instance, instantiate } from './instance.ts';

/** Readies the parser; an isolate that serves no such endpoint never loads it. */
export async function loadParser(): Promise<void> {
  if (hasParser()) return;
  const { default: module } = await import('libpg-query/wasm/libpg-query.wasm');
  useParser(parserOf(module));
}

/** A parser of this compiled module. */
export function parserOf(module: CompiledModule): Parser {
  let instance: Instance | undefined;
  return (text) => {
    instance ??= instantiate(module);
    try {
      return parse(instance, text);
    } catch (error) {
      // What was thrown through it may have left its stack anywhere.
      instance = undefined;
      throw error;
    }
  };
}

function parse(instance: Instance, text: string): ParserAnswer {
  const { malloc, free, freeResult, memory } = instance;
  const bytes = new TextEncoder().encode(text);
  const at = malloc(bytes.length + 1);
  const here = new Uint8Array(memory.buffer, at, bytes.length + 1);
  here.set(bytes);
  here[bytes.length] = 0;
  const result = instance.parse(at);
  try {
    const words = new DataView(memory.buffer);
    const error = words.getUint32(result + 8, true);
    if (error === 0) return treeOf(textAt(memory, words.getUint32(result, true)));
    const raisedBy = words.getUint32(error + 4, true);
    return serverRefusal({
      message: textAt(memory, words.getUint32(error, true)),
      raisedBy: raisedBy === 0 ? undefined : textAt(memory, raisedBy),
      place: Math.max(words.getInt32(error + 16, true), 1),
    });
  } finally {
    free(at);
    freeResult(result);
  }
}

function textAt(memory: Instance['memory'], at: number): string {
  const bytes = new Uint8Array(memory.buffer);
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(
    bytes.subarray(at, bytes.indexOf(0, at)),
  );
}

function treeOf(json: string): ParserAnswer {
  const { stmts = [] } = JSON.parse(json) as { stmts?: unknown[] }; // The parser's own JSON.
  return { statements: stmts.filter(isTree).map(statementOf) };
}

function statementOf(raw: { readonly [member: string]: unknown }): ParsedStatement {
  const { stmt, stmt_location: from = 0, stmt_len: length = 0 } = raw;
  return { tree: isTree(stmt) ? stmt : {}, from: Number(from), length: Number(length) };
}
