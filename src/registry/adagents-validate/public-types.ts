/** Kinds of properties by the public schema of adagents.json. */
export const PUBLIC_PROPERTY_TYPES = [
  ...(['website', 'mobile_app', 'ctv_app', 'desktop_app', 'dooh', 'podcast', 'radio', 'linear_tv'] as const),
  ...(['streaming_audio', 'ai_assistant'] as const),
] as const;

/** What identifies them, by the same. */
export const PUBLIC_IDENTIFIER_TYPES = [
  ...(['domain', 'subdomain', 'network_id', 'ios_bundle', 'android_package', 'apple_app_store_id'] as const),
  ...(['google_play_id', 'roku_store_id', 'fire_tv_asin', 'samsung_app_id', 'apple_tv_bundle', 'bundle_id'] as const),
  ...(['venue_id', 'screen_id', 'openooh_venue_type', 'rss_url', 'apple_podcast_id', 'spotify_collection_id'] as const),
  ...(['podcast_guid', 'station_id', 'facility_id'] as const),
] as const;
