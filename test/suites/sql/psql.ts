/** Takes the scripts of PostgreSQL's regression tests apart, as psql does. */
import { join } from 'node:path';

/** Backslash commands that end a statement as a semicolon does. */
const ENDS = /^\\(?:g|gx|gset|gexec|crosstabview)\b/;
const FROM_STDIN = /^COPY\b[\s\S]*\bFROM\s+STDIN\b/i;
/** Texts, names and comments, in which nothing else means anything, and what does. */
const PARTS =
  /'(?:[^'\\]|''|\\.)*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\/|\\[^\n]*|;|\bBEGIN\s+ATOMIC\b|\bEND\b|[()]/gi;

/** The statements of a script; data of COPY and backslash commands are left out. @param folder what the scripts call `abs_srcdir` */
export function statementsOf(script: string, folder: string): string[] {
  return new Script(script, folder).statements();
}

/** Where the scripts lie: in a checkout's `src/test/regress/sql`, or in the folder itself. */
export function scriptsIn(folder: string, has: (path: string) => boolean): string {
  const tried = [join(folder, 'src/test/regress/sql'), join(folder, 'sql')];
  return tried.find(has) ?? folder;
}

class Script {
  readonly #script: string;
  readonly #variables: Map<string, string>;
  readonly #statements: string[] = [];
  /** Of the statement so far. */
  #text = '';
  /** Up to there the script has been taken. */
  #from = 0;
  /** Parentheses and bodies that are open. */
  #open = 0;

  constructor(script: string, folder: string) {
    this.#script = script;
    this.#variables = new Map([['abs_srcdir', folder]]);
  }

  statements(): string[] {
    for (const { 0: part, index } of this.#script.matchAll(PARTS)) {
      if (index >= this.#from) this.#take(part, index);
    }
    this.#end(this.#script.length, 0);
    return this.#statements;
  }

  #take(part: string, at: number): void {
    if (part === '(' || /^begin/i.test(part)) this.#open += 1;
    else if (part === ')' || /^end$/i.test(part)) this.#open = Math.max(this.#open - 1, 0);
    else if (part.startsWith('\\')) this.#command(part, at);
    else if (part === ';' && this.#open === 0) {
      this.#end(at, 1);
      this.#skipData();
    }
  }

  #command(part: string, at: number): void {
    if (ENDS.test(part)) {
      this.#end(at, part.length);
      return;
    }
    this.#text += this.#script.slice(this.#from, at);
    this.#from = at + part.length;
    this.#set(part);
  }

  #end(at: number, length: number): void {
    this.#text += this.#script.slice(this.#from, at);
    this.#from = at + length;
    const whole = this.#substituted(this.#text.trim());
    if (whole !== '') this.#statements.push(whole);
    this.#text = '';
    this.#open = 0;
  }

  #skipData(): void {
    if (!FROM_STDIN.test(this.#statements.at(-1) ?? '')) return;
    this.#statements.pop();
    const end = this.#script.indexOf('\n\\.', this.#from);
    this.#from = end < 0 ? this.#script.length : end + 3;
  }

  /** `\set name part …`, whose parts are texts and variables. */
  #set(command: string): void {
    const [, name = '', value = ''] = /^\\set\s+(\w+)\s*(.*)$/.exec(command) ?? [];
    if (name === '') return;
    const parts = value.match(/:\w+|'(?:[^']|'')*'|[^\s':]+/g) ?? [];
    const texts = parts.map((part) =>
      part.startsWith(':')
        ? (this.#variables.get(part.slice(1)) ?? '')
        : part.replace(/^'|'$/g, ''),
    );
    this.#variables.set(name, texts.join(''));
  }

  #substituted(text: string): string {
    return text.replace(/(?<!:):(?:'(\w+)'|"(\w+)"|(\w+))/g, (whole, quoted, named, bare) => {
      const value = this.#variables.get(quoted ?? named ?? bare);
      if (value === undefined) return whole;
      if (quoted !== undefined) return `'${value.replaceAll("'", "''")}'`;
      return named === undefined ? value : `"${value}"`;
    });
  }
}
