/** Takes the scripts of MariaDB's tests apart: statements stay, commands to the test's own runner go. */

/** First words of the runner's commands. Source: MariaDB's `mysqltest`. */
const COMMANDS = new Set(
  `append_file assert cat_file change_user character_set chmod connect connection copy_file dec delimiter
  die diff_files dirty_close disable_abort_on_error disable_cursor_protocol disable_connect_log disable_info
  disable_metadata disable_non_blocking_api disable_parsing disable_prepare_warnings disable_ps2_protocol
  disable_ps_protocol disable_query_log disable_reconnect disable_result_log disable_service_connection
  disable_session_track_info disable_testcase disable_view_protocol disable_warnings disconnect echo enable_abort_on_error
  enable_connect_log enable_cursor_protocol enable_info enable_metadata enable_non_blocking_api enable_parsing
  enable_prepare_warnings enable_ps2_protocol enable_ps_protocol enable_query_log enable_reconnect enable_result_log
  enable_service_connection enable_session_track_info enable_testcase enable_view_protocol enable_warnings end
  end_timer error eval evalp even_lower exec exit file_exists horizontal_results if inc let list_files
  list_files_append_file list_files_write_file lowercase_result mkdir move_file optimizer_trace perl ping query
  query_get_value query_horizontal query_vertical real_sleep reap remove_file remove_files_wildcard replace_column
  replace_numeric_round replace_regex replace_result require reset_connection result_format rmdir send
  send_eval send_quit send_shutdown shutdown_server skip sleep sorted_result partially_sorted_result source start_timer
  sync_slave_with_master sync_with_master system timer vertical_results wait_for_slave_to_stop while write_file`.split(
    /\s+/,
  ),
);
const QUOTED = /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`[^`]*`|\/\*[\s\S]*?\*\//y;

/** The statements of a script. Blocks of the runner's `if` and `while` are left out, and so is what uses its variables. */
export function statementsOf(script: string): string[] {
  return new Script(script).statements();
}

class Script {
  readonly #script: string;
  readonly #statements: string[] = [];
  #delimiter = ';';
  #at = 0;

  constructor(script: string) {
    this.#script = script;
  }

  statements(): string[] {
    while (this.#at < this.#script.length) {
      this.#at += /^[\s}]*/.exec(this.#script.slice(this.#at, this.#at + 4_096))?.[0].length ?? 0;
      this.#take(this.#line(this.#at));
    }
    return this.#statements;
  }

  #take(line: string): void {
    if (/^(?:--)?\s*delimiter\b/i.test(line)) this.#changeDelimiter(line);
    else if (/^(?:#|--)/.test(line)) this.#at += line.length + 1;
    else if (/^(?:if|while)\s*\(/i.test(line)) this.#at = this.#afterBlock();
    else if (/^(?:perl|write_file|append_file)\b/i.test(line)) this.#at = this.#afterText();
    else this.#statement(line);
  }

  #changeDelimiter(line: string): void {
    const [, next = ';'] = /delimiter\s+(\S+)/i.exec(line) ?? [];
    const ended = next.length > this.#delimiter.length && next.endsWith(this.#delimiter);
    this.#delimiter = ended ? next.slice(0, -this.#delimiter.length) : next;
    this.#at += line.length + 1;
  }

  #statement(line: string): void {
    const [word = ''] = /^\w+/.exec(line) ?? [];
    const end = this.#end();
    const text = this.#script.slice(this.#at, end).trim();
    this.#at = end + this.#delimiter.length;
    if (text === '' || COMMANDS.has(word.toLowerCase()) || text.includes('$')) return;
    this.#statements.push(text);
  }

  #line(at: number): string {
    const end = this.#script.indexOf('\n', at);
    return this.#script.slice(at, end < 0 ? this.#script.length : end);
  }

  /** Of a statement, outside quotes and comments. */
  #end(): number {
    let at = this.#at;
    while (at < this.#script.length && !this.#script.startsWith(this.#delimiter, at)) {
      const isComment = this.#script[at] === '#' || /^--\s/.test(this.#script.slice(at, at + 3));
      QUOTED.lastIndex = at;
      at += isComment ? this.#line(at).length + 1 : (QUOTED.exec(this.#script)?.[0].length ?? 1);
    }
    return at;
  }

  #afterBlock(): number {
    let depth = 0;
    for (const { 0: brace, index } of this.#script.slice(this.#at).matchAll(/[{}]/g)) {
      depth += brace === '{' ? 1 : -1;
      if (depth === 0) return this.#at + index + 1;
    }
    return this.#script.length;
  }

  /** A text for the runner goes to a line of its own. */
  #afterText(): number {
    const end = this.#script.indexOf('\nEOF', this.#at);
    return end < 0 ? this.#script.length : end + 5;
  }
}
