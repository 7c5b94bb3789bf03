// The account that the agent uses: one database, and no rights over others. Run once, when the volume is new.
db.getSiblingDB('media_buy_agent').createUser({
  user: 'agent',
  pwd: process.env.MONGO_PASSWORD,
  roles: [{ role: 'readWrite', db: 'media_buy_agent' }],
});
