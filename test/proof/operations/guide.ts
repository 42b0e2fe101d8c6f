import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { program } from '../../support/app/compiled-source.ts';
import type { Service } from '../../support/app/service.ts';
import { until } from '../../support/app/until.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/**
 * A block of commands in a guide, with the block of its output. Attributes of a fence: `sh live` runs in the background
 * until it prints (`sh live silent` does not wait); `sh again` repeats until it prints the expected output; `json
 * received` is the next output of the latest live command.
 */
export interface Step {
  command: string;
  kind: 'once' | 'live' | 'silent' | 'again';
  answer?: string;
  received?: string;
}

const FENCE = /^```(\S+)([^\n]*)\n([\s\S]*?)\n```$/gm;

const STARTING = /^(git clone|npm (install|start|test))\b/;

export function stepsOf(markdown: string): Step[] {
  const steps: Step[] = [];
  for (const [, language, attributes, text] of markdown.matchAll(FENCE)) {
    const words = attributes!.trim().split(' ');
    const last = steps.at(-1);
    if (language === 'sh') {
      if (!STARTING.test(text!)) steps.push({ command: text!, kind: kindOf(words) });
    } else if (last && words.includes('received')) last.received = text!;
    else if (last && (language === 'json' || language === 'text')) last.answer = text!;
  }
  return steps;
}

function kindOf(words: string[]): Step['kind'] {
  if (words.includes('silent')) return 'silent';
  if (words.includes('live')) return 'live';
  return words.includes('again') ? 'again' : 'once';
}

export interface Outcome {
  command: string;
  says: string;
  printed: string;
}

export class Reader {
  readonly #service: Service;
  readonly #edit: (command: string) => string;
  readonly #terminal: ChildProcess;
  readonly #folder: string;
  #printed = '';
  #complaints = '';
  #steps = 0;
  #live: { path: string; received: number } | undefined;

  private constructor(
    service: Service,
    folder: string,
    env: Record<string, string>,
    edit: (command: string) => string,
  ) {
    this.#service = service;
    this.#folder = folder;
    this.#edit = edit;
    const { DATABASE_URL: _, ...inherited } = process.env;
    this.#terminal = spawn('bash', ['--norc'], {
      cwd: ROOT,
      detached: true, // its own process group, so that background commands are killed with it
      env: { ...inherited, DATA_DIR: service.dataDir, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#terminal.stdout!.setEncoding('utf8').on('data', (text: string) => {
      this.#printed += text;
    });
    this.#terminal.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#complaints += text;
    });
  }

  static async sitDown(
    service: Service,
    {
      env = {},
      edit = (command) => command,
    }: { env?: Record<string, string>; edit?: (command: string) => string } = {},
  ): Promise<Reader> {
    return new Reader(service, await mkdtemp(join(tmpdir(), 'atrium-reader-')), env, edit);
  }

  /** Runs every step of a guide in order. @param path relative to the repository */
  async follow(path: string): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const { command, kind, answer, received } of stepsOf(await readFile(join(ROOT, path), 'utf8'))) {
      const says = (text: string) => this.#here(text);
      if (kind === 'live' || kind === 'silent') await this.#listen(command, kind);
      else {
        let printed = await this.#run(command);
        while (kind === 'again' && answer && shape(printed) !== shape(says(answer))) printed = await this.#run(command);
        if (answer !== undefined) outcomes.push({ command, says: says(answer), printed });
      }
      if (received !== undefined) outcomes.push({ command, says: says(received), printed: await this.#hear(received) });
    }
    return outcomes;
  }

  async getUp(): Promise<void> {
    if (this.#terminal.exitCode === null) {
      const gone = once(this.#terminal, 'close');
      process.kill(-this.#terminal.pid!, 'SIGKILL');
      await gone;
    }
    await rm(this.#folder, { recursive: true });
  }

  #here(text: string): string {
    return text
      .replaceAll('http://127.0.0.1:4000', this.#service.url)
      .replaceAll('./data/', `${this.#service.dataDir}/`)
      .replaceAll('npm run --silent cli --', `node ${program('cli')}`);
  }

  /** Runs commands, which may set variables for later ones. @returns their output */
  async #run(command: string): Promise<string> {
    const file = await this.#write(command);
    this.#printed = '';
    this.#complaints = '';
    this.#terminal.stdin!.write(`source ${file} < /dev/null; echo "done ${file} $?"\n`);
    const end = new RegExp(`done ${file} (\\d+)\n$`);
    await until(() => end.test(this.#printed) || this.#terminal.exitCode !== null);
    const code = end.exec(this.#printed)?.[1];
    if (code !== '0') throw new Error(`${command}\nended with ${code}:\n${this.#printed}${this.#complaints}`);
    return this.#printed.replace(end, '').trim();
  }

  async #listen(command: string, kind: 'live' | 'silent'): Promise<void> {
    const file = await this.#write(command);
    const path = `${file}.received`;
    await writeFile(path, '');
    this.#terminal.stdin!.write(`{ source ${file} < /dev/null > ${path} 2>&1 & }\n`);
    if (kind === 'live') await until(async () => (await readFile(path, 'utf8')) !== '');
    if (kind === 'live' || !this.#live) this.#live = { path, received: 0 };
  }

  /** The next lines of the latest live command, as many as the guide shows. */
  async #hear(says: string): Promise<string> {
    const live = this.#live!;
    const count = says.split('\n').length;
    // Event streams contain empty lines and keep-alive comments.
    const lines = async () => (await readFile(live.path, 'utf8')).split('\n').slice(0, -1).filter(isTelling);
    await until(async () => (await lines()).length >= live.received + count);
    live.received += count;
    return (await lines()).slice(live.received - count, live.received).join('\n');
  }

  async #write(command: string): Promise<string> {
    const file = join(this.#folder, String(++this.#steps));
    await writeFile(file, `${this.#edit(this.#here(command))}\n`);
    return file;
  }
}

function isTelling(line: string): boolean {
  return line !== '' && !line.startsWith(':');
}

/** Replaces values that differ between runs (ids, times, cursors, secrets) with placeholders. */
export function shape(text: string): string {
  return text
    .replace(/\b[0-9a-f]{24}\b/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<moment>')
    .replace(/"(date_sent|ts|nonce|created_at|updated_at|created_at_timestamp|last_sent_at)":\d+/g, '"$1":<number>')
    .replace(/\b[0-9a-f]{40}\b/g, '<token>')
    .replace(/\b[0-9a-f]{34}\b/g, '<uid>')
    .replace(/"[0-9a-f]{32}"/g, '"<md5>"')
    .replace(/"cursor":"\d+"/g, '"cursor":"<cursor>"')
    .replace(/"size":\d+/g, '"size":<number>')
    .replace(/"last_request_at":(null|"<moment>")/g, '"last_request_at":<any>')
    .replace(/"publicId":"[^"]+"/g, '"publicId":"<secret>"')
    .replace(/^((?:authKey|authSecret|apiKey|publicId) +)\S+$/gm, '$1<secret>');
}
