/** A Prometheus of one's own, on a loopback port, which collects a server's metrics every second and keeps them in a folder of its own. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stringify } from 'yaml';
import { freePort } from '../server/processes/free-port.js';

/** A rule with an alert, as Prometheus reports it. */
export interface ReportedRule {
  readonly name: string;
  /** Its expression. */
  readonly query: string;
  /** Whether the last evaluation worked: unknown before the first one. */
  readonly health: 'ok' | 'err' | 'unknown';
}

export class Collector {
  private constructor(
    private readonly process: ChildProcess,
    private readonly port: number,
    private readonly folder: string,
  ) {}

  /**
   * Starts it.
   * @param port of the server's metrics
   * @param rules path of a file with alerts
   */
  static async start(program: string, port: number, rules: string): Promise<Collector> {
    const [folder, own] = [mkdtempSync(join(tmpdir(), 'hubledger-prometheus-')), await freePort()];
    const file = join(folder, 'prometheus.yml');
    const job = { job_name: 'hubledger', static_configs: [{ targets: [`127.0.0.1:${port}`] }] };
    const global = { scrape_interval: '1s', evaluation_interval: '1s' };
    writeFileSync(file, stringify({ global, scrape_configs: [job], rule_files: [rules] }));
    const places = [`--config.file=${file}`, `--storage.tsdb.path=${folder}`, `--web.listen-address=127.0.0.1:${own}`];
    const process = spawn(program, places, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    process.stderr!.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    process.on('close', (code) => {
      said += `ended with ${code}`;
    });
    while (!said.includes('Server is ready')) {
      assert.ok(!said.includes('ended with'), said);
      await wait(50);
    }
    return new Collector(process, own, folder);
  }

  /** Asks for the value of an expression now. @returns how many series it has */
  async count(expr: string): Promise<number> {
    const { result } = await this.ask<{ result: readonly unknown[] }>(`query?query=${encodeURIComponent(expr)}`);
    return result.length;
  }

  async rules(): Promise<ReportedRule[]> {
    const { groups } = await this.ask<{ groups: readonly { readonly rules: ReportedRule[] }[] }>('rules');
    return groups.flatMap((group) => group.rules);
  }

  async stop(): Promise<void> {
    this.process.kill('SIGKILL');
    await once(this.process, 'close');
    rmSync(this.folder, { recursive: true });
  }

  private async ask<Data>(path: string): Promise<Data> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/api/v1/${path}`);
    const { status, data, error } = (await answer.json()) as { status: string; data: Data; error?: string };
    assert.equal(status, 'success', `${path}: ${error}`);
    return data;
  }
}
