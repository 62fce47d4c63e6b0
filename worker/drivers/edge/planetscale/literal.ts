/**
 * Writes parameters into a statement's text, because the vendor's protocol has no other place for
 * them: the one exception to bound parameters. Contract §6.
 */

import { type Token, tokensOf } from '../../../../kinds/mysql/dialect/lexer.ts';
import {
  checkValues,
  type Parameter,
  parameterOf,
} from '../../../../kinds/mysql/dialect/parameters.ts';
import { hexOf } from '../../../../proto/bytes.ts';
import { badRequest, type GatewayError } from '../../../../proto/errors.ts';
import type { Json } from '../../../../proto/json.ts';

/** What no SQL mode and no character set reads as anything but itself, once its quotes are doubled. */
const PLAIN = /^[^\\\p{Cc}]*$/u;

/** A value as a literal that servers read as that value in every SQL mode: nothing in it is escaped by a backslash. */
export function literalOf(parameter: Parameter): string {
  switch (parameter.sort) {
    case 'null':
      return 'NULL';
    case 'boolean':
      return parameter.value ? '1' : '0';
    case 'integer':
      return String(parameter.value);
    case 'decimal':
      return parameter.text;
    case 'double':
      return doubleLiteral(parameter.value);
    case 'bytes':
      return `_binary x'${hexOf(parameter.bytes)}'`;
    default:
      return textLiteral(parameter.text);
  }
}

function textLiteral(text: string): string {
  if (PLAIN.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return `_utf8mb4 x'${hexOf(new TextEncoder().encode(text))}'`;
}

/** With an exponent it is no decimal. */
function doubleLiteral(value: number): string {
  const text = String(value);
  return /e/.test(text) ? text : `${text}e0`;
}

/**
 * The text with a literal for each `?` that is a parameter to MySQL, MariaDB and Vitess alike.
 * @throws GatewayError BAD_REQUEST for a wrong number of values, a value that cannot be bound, and
 * a text that the three take apart in different ways
 */
export function withValues(text: string, values: readonly Json[]): string {
  const tokens = tokensOf(text);
  const marks = tokens.filter(({ sort }) => sort === 'parameter');
  checkValues(marks.length, values.length);
  if (values.length === 0) return text;
  const problem = ambiguity(text, tokens);
  if (problem) throw ambiguous(problem);
  let whole = '';
  let at = 0;
  for (const [index, { start, end }] of marks.entries()) {
    const literal = literalOf(parameterOf(values[index] ?? null, index));
    // Apart from what is next to it, so that it stays one literal.
    whole += `${text.slice(at, start)} ${literal} `;
    at = end;
  }
  return whole + text.slice(at);
}

/** Control characters that end comments for some and not for others. */
const ODD_CONTROL = /[^\P{Cc}\t\n\r\f]/u;
/** What all take for one variable. */
const SAME_VARIABLE = /^@@?[\w$.]+$/;

/** Why a text with parameters is not taken; undefined for one that all take apart alike. */
function ambiguity(text: string, tokens: readonly Token[]): string | undefined {
  if (ODD_CONTROL.test(text)) return 'a control character';
  const problems = tokens.map((token, at) => problemAt(text, token, tokens[at + 1]));
  return problems.find((problem) => problem !== undefined);
}

function problemAt(text: string, token: Token, next: Token | undefined): string | undefined {
  const { sort, text: shown, end } = token;
  if (sort === 'versioned') return 'a comment with a version';
  if (sort === 'unclear') return shown.charAt(0).toLowerCase() + shown.slice(1);
  if (sort === 'variable' && !(SAME_VARIABLE.test(shown) && !/['"`]/.test(text.charAt(end)))) {
    return `the variable ${shown.slice(0, 64)}`;
  }
  // Literals in a row become one.
  const isOne = sort === 'parameter' || next?.sort === 'parameter';
  return isOne && isText(sort) && isText(next?.sort)
    ? 'a quoted text right next to a parameter (write AS ahead of an alias)'
    : undefined;
}

function isText(sort: Token['sort'] | undefined): boolean {
  return sort === 'string' || sort === 'parameter';
}

function ambiguous(what: string): GatewayError {
  const message = `A statement with parameters cannot hold ${what} where parameters are written into its text`;
  return badRequest('query', message, message);
}
