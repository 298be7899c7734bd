import { execFileSync } from 'node:child_process';
import type { Attack } from '../suite.js';
import { assignments } from '../victim.js';
import { statusOf } from '../visitor.js';

let path = '';

export const linkPreviews: Attack = {
  name: 'link previews',
  what: 'a preview opens a sign-in link by HEAD and GET before its person does',
  isShort: true,
  async prepare({ program, dataDir }) {
    const words = [...assignments({ dataDir }), process.execPath, program, 'accounts', 'invite'];
    const said = execFileSync('env', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    path = /\/api\/account\/v1\/link\/[\w-]+/.exec(said)?.[0] ?? '';
    return {};
  },
  async run({ base, origin }) {
    for (const method of ['HEAD', 'GET']) await statusOf(base + path, { method });
    const status = await statusOf(base + path, { method: 'POST', headers: { origin } });
    return { lost: status === 303 ? 'nothing' : `the person is answered ${status}`, holds: status === 303 };
  },
};
