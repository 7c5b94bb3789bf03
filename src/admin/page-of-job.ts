/** The page of the console that tells what a job is about, from its payload; the overview, for one that names nothing known. Pure. */
export function pageOfJob(data: unknown): { displayText: string; href: string } {
  const named = (typeof data === 'object' && data !== null ? data : {}) as Record<string, unknown>;
  const { task_id, delivery_id, origin } = named;
  if (typeof task_id === 'string') return { displayText: 'Task', href: `/admin/tasks/${encodeURIComponent(task_id)}` };
  if (typeof delivery_id === 'string') {
    return { displayText: 'Webhook', href: `/admin/webhooks/${encodeURIComponent(delivery_id)}` };
  }
  if (typeof origin === 'string') {
    return { displayText: 'Webhooks', href: `/admin/webhooks?destination=${encodeURIComponent(origin)}` };
  }
  return { displayText: 'Console', href: '/admin' };
}
