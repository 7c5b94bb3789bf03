import { describe, expect, it } from 'vitest';
import { readPlainText } from '../../src/tasks/plain-text.ts';

const TASKS = [
  ...['get_products', 'create_media_buy', 'update_media_buy', 'get_media_buys', 'get_media_buy_delivery'],
  ...['list_creative_formats', 'list_creatives', 'sync_creatives', 'list_authorized_properties'],
  ...['get_task_status', 'list_tasks', 'get_agent_capabilities'],
];

describe('[T7] a message in plain words', () => {
  it.each([
    'Video and CTV for outdoor enthusiasts in the US, launching trail-running shoes this spring',
    'Premium sports inventory in Germany, guaranteed',
    'Looking for podcast placements about cooking',
    'We want to reach hikers in Norway with 5000 EUR',
    'I need display banners on news sites',
    'Find me something for an eco-friendly detergent brand',
    'audio ads\nfor   commuters',
    'promote a new electric car to young parents',
    'What do you have in native advertising under 10 CPM?',
  ])('is a brief when it wishes for inventory: %s', (text) => {
    expect(readPlainText(text, TASKS)).toEqual({ likeliest: 'get_products', isBrief: true });
  });

  it.each([
    ['I want to cancel my campaign', 'update_media_buy'],
    ['pause mb_123', 'update_media_buy'],
    ['Please increase the budget of the video campaign by 500', 'update_media_buy'],
    ['Show me the status of my media buys', 'get_media_buys'],
    ['list my campaigns', 'get_media_buys'],
    ['Buy podcast ads for 5000 USD', 'create_media_buy'],
    ['I would like to book two weeks of display', 'create_media_buy'],
    ['How is my video campaign doing?', 'get_media_buy_delivery'],
    ['How much was spent on the banner ads?', 'get_media_buy_delivery'],
    ['list_creative_formats', 'list_creative_formats'],
    ['Which ad formats do you take?', 'list_creative_formats'],
    ['upload a new banner creative', 'sync_creatives'],
    ['show my creatives', 'list_creatives'],
    ['Which sites may you sell ads on?', 'list_authorized_properties'],
    ['is my task ready?', 'get_task_status'],
    ['show all tasks', 'list_tasks'],
    ['What can you do?', 'get_agent_capabilities'],
    ['Hello', 'get_products'],
    ['help', 'get_products'],
    ['How do I advertise here?', 'get_products'],
    ['The weather is nice today', 'get_products'],
    ['ads', 'get_products'],
    ['', 'get_products'],
    ['x'.repeat(100_000), 'get_products'],
    ['show '.repeat(100_000), 'get_products'],
  ])('is none when it does not: %s', (text, likeliest) => {
    expect(readPlainText(text, TASKS)).toEqual({ likeliest, isBrief: false });
  });
});
