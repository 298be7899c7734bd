/** The language of marks. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOCALE, localeOf } from '../../../../server/web/values/language.js';

test('six languages keep their region, and all others have the marks of American English', () => {
  for (const language of ['de', 'de-CH', 'fr-CA', 'es-419', 'it', 'ja', 'ko-KR'])
    assert.equal(localeOf(language), language);
  for (const language of ['en-GB', 'en', 'pt-BR', 'den', 'zh-CN', ''])
    assert.equal(localeOf(language), 'en-US', language);
  assert.equal(LOCALE, 'en-US', 'outside a browser');
});
