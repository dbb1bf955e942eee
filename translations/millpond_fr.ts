<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="fr" sourcelanguage="en">
<context>
    <name>ActionText</name>
    <message>
        <source>&amp;Open Folder…</source>
        <translation>&amp;Ouvrir un dossier…</translation>
    </message>
    <message>
        <source>Show the pools whose image files lie in a folder</source>
        <translation>Montrer les pools dont les fichiers image sont dans un dossier</translation>
    </message>
    <message>
        <source>This &amp;Machine</source>
        <translation>Cette &amp;machine</translation>
    </message>
    <message>
        <source>Show the pools on the devices of this machine</source>
        <translation>Montrer les pools sur les périphériques de cette machine</translation>
    </message>
    <message>
        <source>&amp;Refresh</source>
        <translation>&amp;Actualiser</translation>
    </message>
    <message>
        <source>Look for pools again</source>
        <translation>Rechercher à nouveau les pools</translation>
    </message>
    <message>
        <source>&amp;Import Read-Only</source>
        <translation>&amp;Importer en lecture seule</translation>
    </message>
    <message>
        <source>Open this pool for reading; nothing on its disks is changed</source>
        <translation>Ouvrir ce pool en lecture ; rien n’est modifié sur ses disques</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>&amp;Exporter</translation>
    </message>
    <message>
        <source>Unmount this pool and close it</source>
        <translation>Démonter ce pool et le fermer</translation>
    </message>
    <message>
        <source>&amp;Check</source>
        <translation>&amp;Vérifier</translation>
    </message>
    <message>
        <source>Read and verify everything in this pool</source>
        <translation>Tout lire et vérifier dans ce pool</translation>
    </message>
    <message>
        <source>&amp;Mount</source>
        <translation>&amp;Monter</translation>
    </message>
    <message>
        <source>Make the files of this dataset visible in a folder</source>
        <translation>Rendre visibles dans un dossier les fichiers de ce jeu de données</translation>
    </message>
    <message>
        <source>&amp;Unmount</source>
        <translation>&amp;Démonter</translation>
    </message>
    <message>
        <source>Take the files of this dataset out of the folder again</source>
        <translation>Retirer du dossier les fichiers de ce jeu de données</translation>
    </message>
    <message>
        <source>Open Fol&amp;der</source>
        <translation>&amp;Ouvrir le dossier</translation>
    </message>
    <message>
        <source>Show the files of this dataset in the file manager</source>
        <translation>Montrer les fichiers de ce jeu de données dans le gestionnaire de fichiers</translation>
    </message>
    <message>
        <source>&amp;Copy Rows</source>
        <translation>&amp;Copier les lignes</translation>
    </message>
    <message>
        <source>Copy the selected rows of the table</source>
        <translation>Copier les lignes sélectionnées du tableau</translation>
    </message>
    <message>
        <source>&amp;Save Table…</source>
        <translation>&amp;Enregistrer le tableau…</translation>
    </message>
    <message>
        <source>Save the table as a CSV file</source>
        <translation>Enregistrer le tableau en fichier CSV</translation>
    </message>
    <message>
        <source>&amp;Filter Datasets</source>
        <translation>&amp;Filtrer les jeux de données</translation>
    </message>
    <message>
        <source>Show only datasets whose name holds a text</source>
        <translation>Montrer seulement les jeux de données dont le nom contient un texte</translation>
    </message>
    <message>
        <source>Datasets as &amp;List</source>
        <translation>Jeux de données en &amp;liste</translation>
    </message>
    <message>
        <source>Show datasets with full names, sorted over the whole pool</source>
        <translation>Montrer les jeux de données avec leur nom complet, triés sur tout le pool</translation>
    </message>
    <message>
        <source>&amp;Pool</source>
        <translation>&amp;Pool</translation>
    </message>
    <message>
        <source>&amp;Dataset</source>
        <translation>&amp;Jeu de données</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>Affic&amp;hage</translation>
    </message>
</context>
<context>
    <name>Advice</name>
    <message>
        <source>Devices are missing, and the copies that are left are not enough to read the pool.</source>
        <translation>Des périphériques manquent et les copies restantes ne suffisent pas pour lire le pool.</translation>
    </message>
    <message>
        <source>Connect the missing devices and try again.</source>
        <translation>Branchez les périphériques manquants et réessayez.</translation>
    </message>
    <message>
        <source>Some files are damaged and could not be rebuilt from any copy.</source>
        <translation>Certains fichiers sont endommagés et n’ont pu être reconstruits à partir d’aucune copie.</translation>
    </message>
    <message>
        <source>Restore the files listed below from a backup, or delete them.</source>
        <translation>Restaurez les fichiers listés ci-dessous depuis une sauvegarde, ou supprimez-les.</translation>
    </message>
    <message>
        <source>A device is being rebuilt. Until that is done the pool has less redundancy.</source>
        <translation>Un périphérique est en cours de reconstruction. D’ici là, le pool a moins de redondance.</translation>
    </message>
    <message>
        <source>Wait for the resilver to finish.</source>
        <translation>Attendez la fin de la resynchronisation (resilver).</translation>
    </message>
    <message>
        <source>A device has no usable label. The other copies are enough to read everything.</source>
        <translation>Un périphérique n’a pas d’étiquette utilisable. Les autres copies suffisent pour tout lire.</translation>
    </message>
    <message>
        <source>Replace the device.</source>
        <translation>Remplacez le périphérique.</translation>
    </message>
    <message>
        <source>A device could not be opened. The other copies are enough to read everything.</source>
        <translation>Un périphérique n’a pas pu être ouvert. Les autres copies suffisent pour tout lire.</translation>
    </message>
    <message>
        <source>Connect the device, or replace it.</source>
        <translation>Branchez le périphérique, ou remplacez-le.</translation>
    </message>
    <message>
        <source>A device was switched off by an administrator. The other copies are enough to read everything.</source>
        <translation>Un périphérique a été désactivé par un administrateur. Les autres copies suffisent pour tout lire.</translation>
    </message>
    <message>
        <source>Bring the device back online, or replace it.</source>
        <translation>Remettez le périphérique en ligne, ou remplacez-le.</translation>
    </message>
    <message>
        <source>A device was taken out. The other copies are enough to read everything.</source>
        <translation>Un périphérique a été retiré. Les autres copies suffisent pour tout lire.</translation>
    </message>
    <message>
        <source>Put the device back, or replace it.</source>
        <translation>Remettez le périphérique en place, ou remplacez-le.</translation>
    </message>
    <message>
        <source>A device had too many errors and is no longer used.</source>
        <translation>Un périphérique a eu trop d’erreurs et n’est plus utilisé.</translation>
    </message>
    <message>
        <source>Replace the device, or clear its errors if it is sound.</source>
        <translation>Remplacez le périphérique, ou effacez ses erreurs s’il est sain.</translation>
    </message>
    <message>
        <source>A device returned errors. Everything was rebuilt from other copies.</source>
        <translation>Un périphérique a renvoyé des erreurs. Tout a été reconstruit à partir d’autres copies.</translation>
    </message>
    <message>
        <source>Check the device and its cable; replace it if errors come back.</source>
        <translation>Vérifiez le périphérique et son câble ; remplacez-le si les erreurs reviennent.</translation>
    </message>
    <message>
        <source>The pool has an old on-disk version. It works, without what newer versions brought.</source>
        <translation>Le pool a une ancienne version sur disque. Il fonctionne, sans les apports des versions plus récentes.</translation>
    </message>
    <message>
        <source>Nothing needs to be done. An upgrade shuts out software that knows no feature flags.</source>
        <translation>Rien à faire. Une mise à niveau exclut les logiciels qui ne connaissent pas les feature flags.</translation>
    </message>
    <message>
        <source>Some features that this program knows are not enabled. The pool works without them.</source>
        <translation>Certaines fonctions que ce programme connaît ne sont pas activées. Le pool fonctionne sans elles.</translation>
    </message>
    <message>
        <source>Nothing needs to be done. An upgrade shuts out software that lacks those features.</source>
        <translation>Rien à faire. Une mise à niveau exclut les logiciels dépourvus de ces fonctions.</translation>
    </message>
</context>
<context>
    <name>CheckPanel</name>
    <message>
        <source>Problems found by the check</source>
        <translation>Problèmes trouvés par la vérification</translation>
    </message>
    <message>
        <source>Starting the check of %1</source>
        <translation>Lancement de la vérification de %1</translation>
    </message>
    <message>
        <source>The check failed.</source>
        <translation>La vérification a échoué.</translation>
    </message>
    <message>
        <source>The check was cancelled.</source>
        <translation>La vérification a été annulée.</translation>
    </message>
    <message>
        <source>%1 was not checked</source>
        <translation>%1 n’a pas été vérifié</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>Vérifier à nouveau</translation>
    </message>
    <message>
        <source>Checking %1</source>
        <translation>Vérification de %1</translation>
    </message>
    <message>
        <source>Every block is read and compared. No problem found so far.</source>
        <translation>Chaque bloc est lu et comparé. Aucun problème pour l’instant.</translation>
    </message>
    <message>
        <source>No pool is selected</source>
        <translation>Aucun pool sélectionné</translation>
    </message>
    <message>
        <source>%1 is imported</source>
        <translation>%1 est importé</translation>
    </message>
    <message>
        <source>A check reads a pool that is not in use. Export it first.</source>
        <translation>La vérification lit un pool qui n’est pas utilisé. Exportez-le d’abord.</translation>
    </message>
    <message>
        <source>%1 has not been checked</source>
        <translation>%1 n’a pas encore été vérifié</translation>
    </message>
    <message>
        <source>A check reads every copy of every block, recomputes parity, and compares what the pool says about itself. It writes nothing and can take as long as reading the disks.</source>
        <translation>La vérification lit chaque copie de chaque bloc, recalcule la parité et compare ce que le pool dit de lui-même. Elle n’écrit rien et peut durer le temps de lire les disques.</translation>
    </message>
    <message>
        <source>Check now</source>
        <translation>Vérifier maintenant</translation>
    </message>
    <message>
        <source>No problem found in %1</source>
        <translation>Aucun problème trouvé dans %1</translation>
    </message>
    <message numerus="yes">
        <source>%n problem(s)</source>
        <translation>
            <numerusform>%n problème</numerusform>
            <numerusform>%n problèmes</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 so far; the check goes on.</source>
        <translation>%1 pour l’instant ; la vérification continue.</translation>
    </message>
    <message>
        <source>%1. %2 datasets, %3 blocks, %4 read in %5 s.</source>
        <translation>%1. %2 jeux de données, %3 blocs, %4 lus en %5 s.</translation>
    </message>
    <message>
        <source>%1 are awaiting a resilver, which is not damage.</source>
        <translation>%1 attendent une resynchronisation (resilver) ; ce n’est pas un dommage.</translation>
    </message>
</context>
<context>
    <name>DBusClient</name>
    <message>
        <source>The helper has ended.</source>
        <translation>L’assistant s’est terminé.</translation>
    </message>
    <message>
        <source>The helper that is running (%1) speaks version %2 of the interface, this window version %3. Close all windows, end the helper, and start again.</source>
        <translation>L’assistant en cours (%1) parle la version %2 de l’interface, cette fenêtre la version %3. Fermez toutes les fenêtres, arrêtez l’assistant et recommencez.</translation>
    </message>
    <message>
        <source>The helper is not running.</source>
        <translation>L’assistant n’est pas en cours d’exécution.</translation>
    </message>
</context>
<context>
    <name>DatasetModel</name>
    <message>
        <source>Yes</source>
        <translation>Oui</translation>
    </message>
    <message>
        <source>No</source>
        <translation>Non</translation>
    </message>
    <message>
        <source>Not mounted</source>
        <translation>Non monté</translation>
    </message>
    <message>
        <source>Mounted at %1</source>
        <translation>Monté sur %1</translation>
    </message>
    <message>
        <source>%1 bytes</source>
        <translation>%1 octets</translation>
    </message>
</context>
<context>
    <name>DatasetPanel</name>
    <message>
        <source>Datasets</source>
        <translation>Jeux de données</translation>
    </message>
    <message>
        <source>Filter datasets by name</source>
        <translation>Filtrer les jeux de données par nom</translation>
    </message>
    <message>
        <source>Reading the datasets of %1</source>
        <translation>Lecture des jeux de données de %1</translation>
    </message>
    <message>
        <source>Asking what is mounted</source>
        <translation>Recherche de ce qui est monté</translation>
    </message>
    <message>
        <source>The datasets of %1 could not be read</source>
        <translation>Les jeux de données de %1 n’ont pas pu être lus</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Réessayer</translation>
    </message>
    <message>
        <source>%1 is not imported</source>
        <translation>%1 n’est pas importé</translation>
    </message>
    <message>
        <source>Import it read-only to see and mount its datasets. Nothing is written to its disks.</source>
        <translation>Importez-le en lecture seule pour voir et monter ses jeux de données. Rien n’est écrit sur ses disques.</translation>
    </message>
    <message>
        <source>Import read-only</source>
        <translation>Importer en lecture seule</translation>
    </message>
    <message>
        <source>%1 cannot be imported</source>
        <translation>%1 ne peut pas être importé</translation>
    </message>
    <message numerus="yes">
        <source>%n dataset(s)</source>
        <translation>
            <numerusform>%n jeu de données</numerusform>
            <numerusform>%n jeux de données</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 sur %2</translation>
    </message>
</context>
<context>
    <name>ErrorText</name>
    <message>
        <source>You are not allowed to do this.</source>
        <translation>Vous n’êtes pas autorisé à faire cela.</translation>
    </message>
    <message>
        <source>You are not allowed to do this: %1</source>
        <translation>Vous n’êtes pas autorisé à faire cela : %1</translation>
    </message>
    <message>
        <source>The helper did not answer in time. A disk may be slow or not respond.</source>
        <translation>L’assistant n’a pas répondu à temps. Un disque est peut-être lent ou ne répond pas.</translation>
    </message>
    <message>
        <source>The storage helper is not running.</source>
        <translation>L’assistant de stockage n’est pas en cours d’exécution.</translation>
    </message>
    <message>
        <source>The helper&apos;s answer could not be understood: %1</source>
        <translation>La réponse de l’assistant est incompréhensible : %1</translation>
    </message>
    <message>
        <source>The helper refused: %1</source>
        <translation>L’assistant a refusé : %1</translation>
    </message>
    <message>
        <source>Connecting to the storage helper of this machine</source>
        <translation>Connexion à l’assistant de stockage de cette machine</translation>
    </message>
    <message>
        <source>Starting the storage helper</source>
        <translation>Démarrage de l’assistant de stockage</translation>
    </message>
    <message>
        <source>The storage helper is ready</source>
        <translation>L’assistant de stockage est prêt</translation>
    </message>
    <message>
        <source>The storage helper has ended</source>
        <translation>L’assistant de stockage s’est terminé</translation>
    </message>
    <message>
        <source>The storage helper has another version</source>
        <translation>L’assistant de stockage a une autre version</translation>
    </message>
    <message>
        <source>The storage helper of this machine cannot be reached</source>
        <translation>L’assistant de stockage de cette machine est injoignable</translation>
    </message>
    <message>
        <source>The storage helper could not be started</source>
        <translation>L’assistant de stockage n’a pas pu démarrer</translation>
    </message>
    <message>
        <source>It reads disks and image files for this window.</source>
        <translation>Il lit les disques et les fichiers image pour cette fenêtre.</translation>
    </message>
    <message>
        <source>Pools that were open in it are closed; nothing on the disks was changed. It can be started again.</source>
        <translation>Les pools qui y étaient ouverts sont fermés ; rien n’a été modifié sur les disques. Il peut être relancé.</translation>
    </message>
</context>
<context>
    <name>HeadingText</name>
    <message>
        <source>Name</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>Used</source>
        <translation>Utilisé</translation>
    </message>
    <message>
        <source>Available</source>
        <translation>Disponible</translation>
    </message>
    <message>
        <source>Referenced</source>
        <translation>Référencé</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>Ratio</translation>
    </message>
    <message>
        <source>Mountpoint</source>
        <translation>Point de montage</translation>
    </message>
    <message>
        <source>Mounted</source>
        <translation>Monté</translation>
    </message>
    <message>
        <source>Snapshot</source>
        <translation>Instantané</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Créé</translation>
    </message>
</context>
<context>
    <name>HealthText</name>
    <message>
        <source>Online</source>
        <translation>En ligne</translation>
    </message>
    <message>
        <source>Degraded</source>
        <translation>Dégradé</translation>
    </message>
    <message>
        <source>Faulted</source>
        <translation>En défaut</translation>
    </message>
    <message>
        <source>Unavailable</source>
        <translation>Indisponible</translation>
    </message>
    <message>
        <source>Offline</source>
        <translation>Hors ligne</translation>
    </message>
    <message>
        <source>Removed</source>
        <translation>Retiré</translation>
    </message>
    <message>
        <source>Suspended</source>
        <translation>Suspendu</translation>
    </message>
    <message>
        <source>Spare, ready</source>
        <translation>Secours, prêt</translation>
    </message>
    <message>
        <source>Spare, in use</source>
        <translation>Secours, utilisé</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Inconnu</translation>
    </message>
</context>
<context>
    <name>HelperStatus</name>
    <message>
        <source>helper not started</source>
        <translation>assistant non démarré</translation>
    </message>
    <message>
        <source>helper is starting</source>
        <translation>l’assistant démarre</translation>
    </message>
    <message>
        <source>helper %1 is running</source>
        <translation>l’assistant %1 fonctionne</translation>
    </message>
    <message>
        <source>helper has ended</source>
        <translation>l’assistant s’est terminé</translation>
    </message>
    <message>
        <source>no helper</source>
        <translation>aucun assistant</translation>
    </message>
    <message>
        <source>helper has another version</source>
        <translation>l’assistant a une autre version</translation>
    </message>
    <message>
        <source>System mode</source>
        <translation>Mode système</translation>
    </message>
    <message>
        <source>Private mode</source>
        <translation>Mode privé</translation>
    </message>
    <message>
        <source>The helper of this machine works on its devices; it may ask for a password.</source>
        <translation>L’assistant de cette machine travaille sur ses périphériques ; il peut demander un mot de passe.</translation>
    </message>
    <message>
        <source>A helper of your own, with your rights: image files, and devices you may read.</source>
        <translation>Un assistant à vous, avec vos droits : fichiers image et périphériques que vous pouvez lire.</translation>
    </message>
</context>
<context>
    <name>JobRow</name>
    <message>
        <source>Progress of %1</source>
        <translation>Progression : %1</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Close the line of %1</source>
        <translation>Fermer la ligne de %1</translation>
    </message>
    <message>
        <source>Cancel %1</source>
        <translation>Annuler %1</translation>
    </message>
</context>
<context>
    <name>JobsArea</name>
    <message numerus="yes">
        <source>%n second(s) left</source>
        <translation>
            <numerusform>%n seconde restante</numerusform>
            <numerusform>%n secondes restantes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) left</source>
        <translation>
            <numerusform>%n minute restante</numerusform>
            <numerusform>%n minutes restantes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hour(s) left</source>
        <translation>
            <numerusform>%n heure restante</numerusform>
            <numerusform>%n heures restantes</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 sur %2</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/s</translation>
    </message>
    <message>
        <source>running</source>
        <translation>en cours</translation>
    </message>
    <message>
        <source>waiting its turn</source>
        <translation>en attente de son tour</translation>
    </message>
    <message>
        <source>done</source>
        <translation>terminé</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>annulé</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>échec</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>échec : %1</translation>
    </message>
    <message>
        <source>Jobs</source>
        <translation>Tâches</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Tools</source>
        <translation>Outils</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>&amp;Quitter</translation>
    </message>
    <message>
        <source>&amp;About Millpond</source>
        <translation>À &amp;propos de Millpond</translation>
    </message>
    <message>
        <source>%1 – Millpond</source>
        <translation>%1 – Millpond</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Aide</translation>
    </message>
    <message>
        <source>About Millpond</source>
        <translation>À propos de Millpond</translation>
    </message>
    <message>
        <source>&lt;b&gt;Millpond %1&lt;/b&gt;&lt;p&gt;Storage pools in the OpenZFS format, without a kernel module.&lt;p&gt;Free software under the GNU General Public License, version 3 or later.</source>
        <translation>&lt;b&gt;Millpond %1&lt;/b&gt;&lt;p&gt;Des pools de stockage au format OpenZFS, sans module du noyau.&lt;p&gt;Logiciel libre sous la licence publique générale GNU, version 3 ou ultérieure.</translation>
    </message>
</context>
<context>
    <name>Notice</name>
    <message>
        <source>Close message</source>
        <translation>Fermer le message</translation>
    </message>
</context>
<context>
    <name>Operations</name>
    <message>
        <source>Importing %1 read-only</source>
        <translation>Importation de %1 en lecture seule</translation>
    </message>
    <message>
        <source>%1 was not imported: %2</source>
        <translation>%1 n’a pas été importé : %2</translation>
    </message>
    <message>
        <source>%1 is open read-only: nothing on its disks is changed.</source>
        <translation>%1 est ouvert en lecture seule : rien n’est modifié sur ses disques.</translation>
    </message>
    <message>
        <source>%1 is open read-only, but not everything in it could be mounted: %2</source>
        <translation>%1 est ouvert en lecture seule, mais tout n’a pas pu être monté : %2</translation>
    </message>
    <message>
        <source>Exporting %1</source>
        <translation>Exportation de %1</translation>
    </message>
    <message>
        <source>%1 is exported; its disks can be taken away.</source>
        <translation>%1 est exporté ; ses disques peuvent être retirés.</translation>
    </message>
    <message>
        <source>%1 was not exported: %2</source>
        <translation>%1 n’a pas été exporté : %2</translation>
    </message>
    <message>
        <source>Mounting %1</source>
        <translation>Montage de %1</translation>
    </message>
    <message>
        <source>%1 was not mounted: %2</source>
        <translation>%1 n’a pas été monté : %2</translation>
    </message>
    <message>
        <source>%1 is mounted.</source>
        <translation>%1 est monté.</translation>
    </message>
    <message>
        <source>%1 is mounted at %2.</source>
        <translation>%1 est monté sur %2.</translation>
    </message>
    <message>
        <source>Unmounting %1</source>
        <translation>Démontage de %1</translation>
    </message>
    <message>
        <source>%1 is no longer mounted.</source>
        <translation>%1 n’est plus monté.</translation>
    </message>
    <message>
        <source>%1 was not unmounted: %2</source>
        <translation>%1 n’a pas été démonté : %2</translation>
    </message>
</context>
<context>
    <name>OptionText</name>
    <message>
        <source>Show the pools whose image files lie in DIR.</source>
        <translation>Montrer les pools dont les fichiers image sont dans DIR.</translation>
    </message>
    <message>
        <source>Open every pool of that folder first, read-only.</source>
        <translation>Ouvrir d’abord chaque pool de ce dossier, en lecture seule.</translation>
    </message>
    <message>
        <source>Work with the helper of this machine, not a private one.</source>
        <translation>Utiliser l’assistant de cette machine, pas un assistant privé.</translation>
    </message>
    <message>
        <source>Begin with the page NAME.</source>
        <translation>Commencer par la page NAME.</translation>
    </message>
    <message>
        <source>Print what the window would show, and exit.</source>
        <translation>Imprimer ce que la fenêtre montrerait, puis quitter.</translation>
    </message>
    <message>
        <source>Write a picture of the window to FILE once everything is shown, and exit.</source>
        <translation>Écrire une image de la fenêtre dans FILE quand tout est affiché, puis quitter.</translation>
    </message>
    <message>
        <source>Looks into storage pools and opens them.</source>
        <translation>Examine des pools de stockage et les ouvre.</translation>
    </message>
    <message>
        <source>Unexpected argument: %1</source>
        <translation>Argument inattendu : %1</translation>
    </message>
    <message>
        <source>--import needs --folder</source>
        <translation>--import nécessite --folder</translation>
    </message>
</context>
<context>
    <name>PageBar</name>
    <message>
        <source>Pages</source>
        <translation>Pages</translation>
    </message>
</context>
<context>
    <name>PoolDetail</name>
    <message>
        <source>Devices of the pool</source>
        <translation>Périphériques du pool</translation>
    </message>
    <message>
        <source>Datasets, snapshots and check</source>
        <translation>Jeux de données, instantanés et vérification</translation>
    </message>
    <message>
        <source>D&amp;atasets</source>
        <translation>&amp;Jeux de données</translation>
    </message>
    <message>
        <source>S&amp;napshots</source>
        <translation>I&amp;nstantanés</translation>
    </message>
    <message>
        <source>Chec&amp;k</source>
        <translation>Véri&amp;fication</translation>
    </message>
</context>
<context>
    <name>PoolListModel</name>
    <message>
        <source>A scrub was running; it goes on when the pool is opened for writing.</source>
        <translation>Un contrôle (scrub) était en cours ; il reprend quand le pool est ouvert en écriture.</translation>
    </message>
    <message>
        <source>The last scrub was cancelled on %1.</source>
        <translation>Le dernier contrôle (scrub) a été annulé le %1.</translation>
    </message>
    <message numerus="yes">
        <source>Last scrub: %1, %n error(s).</source>
        <translation>
            <numerusform>Dernier contrôle (scrub) : %1, %n erreur.</numerusform>
            <numerusform>Dernier contrôle (scrub) : %1, %n erreurs.</numerusform>
        </translation>
    </message>
    <message>
        <source>A device was being rebuilt (resilvered); until that ends the pool has less redundancy.</source>
        <translation>Un périphérique était en cours de reconstruction (resilver) ; d’ici là, le pool a moins de redondance.</translation>
    </message>
    <message>
        <source>The last rebuild (resilver) was cancelled on %1.</source>
        <translation>La dernière reconstruction (resilver) a été annulée le %1.</translation>
    </message>
    <message numerus="yes">
        <source>Last rebuild (resilver): %1, %n error(s).</source>
        <translation>
            <numerusform>Dernière reconstruction (resilver) : %1, %n erreur.</numerusform>
            <numerusform>Dernière reconstruction (resilver) : %1, %n erreurs.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) or object(s) are known to be damaged.</source>
        <translation>
            <numerusform>%n fichier ou objet est endommagé.</numerusform>
            <numerusform>%n fichiers ou objets sont endommagés.</numerusform>
        </translation>
    </message>
    <message>
        <source>This pool was destroyed; what is left of it can be looked at.</source>
        <translation>Ce pool a été détruit ; ce qu’il en reste peut être consulté.</translation>
    </message>
    <message>
        <source>This pool cannot be imported.</source>
        <translation>Ce pool ne peut pas être importé.</translation>
    </message>
    <message>
        <source>Cannot be imported: %1</source>
        <translation>Ne peut pas être importé : %1</translation>
    </message>
    <message>
        <source>It was not exported: %1 may be using it. Opened read-only it is not changed.</source>
        <translation>Il n’a pas été exporté : %1 l’utilise peut-être. Ouvert en lecture seule, il n’est pas modifié.</translation>
    </message>
    <message>
        <source>another machine</source>
        <translation>une autre machine</translation>
    </message>
    <message>
        <source>This pool can be opened for reading only.</source>
        <translation>Ce pool ne peut être ouvert qu’en lecture.</translation>
    </message>
    <message>
        <source>%1, open read-only</source>
        <translation>%1, ouvert en lecture seule</translation>
    </message>
    <message>
        <source>%1, open</source>
        <translation>%1, ouvert</translation>
    </message>
    <message>
        <source>%1, not imported</source>
        <translation>%1, non importé</translation>
    </message>
    <message>
        <source>%1, cannot be imported</source>
        <translation>%1, non importable</translation>
    </message>
    <message>
        <source>%1 raw size</source>
        <translation>%1 de taille brute</translation>
    </message>
    <message>
        <source>%1 of %2 raw space allocated (%3 %)</source>
        <translation>%1 sur %2 d’espace brut alloué (%3 %)</translation>
    </message>
    <message>
        <source>All devices are there. No known data errors.</source>
        <translation>Tous les périphériques sont là. Aucune erreur de données connue.</translation>
    </message>
    <message>
        <source>All devices are there.</source>
        <translation>Tous les périphériques sont là.</translation>
    </message>
    <message>
        <source>%1 (guid %2)</source>
        <translation>%1 (guid %2)</translation>
    </message>
</context>
<context>
    <name>PoolLoader</name>
    <message>
        <source>Looking for pools on the devices of this machine</source>
        <translation>Recherche de pools sur les périphériques de cette machine</translation>
    </message>
    <message>
        <source>Looking for pools in %1</source>
        <translation>Recherche de pools dans %1</translation>
    </message>
</context>
<context>
    <name>PoolsPage</name>
    <message>
        <source>Pools</source>
        <translation>Pools</translation>
    </message>
    <message>
        <source>Pools on this machine</source>
        <translation>Pools de cette machine</translation>
    </message>
    <message>
        <source>Pools in %1</source>
        <translation>Pools dans %1</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Réessayer</translation>
    </message>
    <message>
        <source>Looking for pools on the devices of this machine</source>
        <translation>Recherche de pools sur les périphériques de cette machine</translation>
    </message>
    <message>
        <source>Looking for pools in %1</source>
        <translation>Recherche de pools dans %1</translation>
    </message>
    <message>
        <source>No pools on the devices of this machine</source>
        <translation>Aucun pool sur les périphériques de cette machine</translation>
    </message>
    <message>
        <source>No pools in %1</source>
        <translation>Aucun pool dans %1</translation>
    </message>
    <message>
        <source>Plug in the disks of a pool and refresh, or open a folder that holds its disks as image files.</source>
        <translation>Branchez les disques d’un pool et actualisez, ou ouvrez un dossier qui contient ses disques sous forme de fichiers image.</translation>
    </message>
    <message>
        <source>A pool shows up when the folder holds the image files of its disks. Folders inside it are not searched.</source>
        <translation>Un pool apparaît quand le dossier contient les fichiers image de ses disques. Les sous-dossiers ne sont pas parcourus.</translation>
    </message>
    <message>
        <source>Open Folder…</source>
        <translation>Ouvrir un dossier…</translation>
    </message>
    <message>
        <source>The devices of this machine could not be searched for pools</source>
        <translation>Les périphériques de cette machine n’ont pas pu être parcourus</translation>
    </message>
    <message>
        <source>%1 could not be searched for pools</source>
        <translation>%1 n’a pas pu être parcouru</translation>
    </message>
    <message>
        <source>Open Folder</source>
        <translation>Ouvrir le dossier</translation>
    </message>
    <message>
        <source>Import read-only anyway</source>
        <translation>Importer quand même en lecture seule</translation>
    </message>
    <message>
        <source>Folder with image files</source>
        <translation>Dossier de fichiers image</translation>
    </message>
    <message>
        <source>Save table</source>
        <translation>Enregistrer le tableau</translation>
    </message>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>Fichiers CSV (*.csv)</translation>
    </message>
    <message>
        <source>The table was saved as %1.</source>
        <translation>Le tableau a été enregistré dans %1.</translation>
    </message>
    <message>
        <source>%1 was not written: %2</source>
        <translation>%1 n’a pas été écrit : %2</translation>
    </message>
</context>
<context>
    <name>ProblemModel</name>
    <message>
        <source>Kind</source>
        <translation>Type</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Où</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>Problème</translation>
    </message>
</context>
<context>
    <name>Session</name>
    <message>
        <source>Not everything was shown in time.</source>
        <translation>Tout n’a pas été affiché à temps.</translation>
    </message>
    <message>
        <source>%1 could not be written.</source>
        <translation>%1 n’a pas pu être écrit.</translation>
    </message>
</context>
<context>
    <name>SnapshotPanel</name>
    <message>
        <source>Snapshots</source>
        <translation>Instantanés</translation>
    </message>
    <message>
        <source>No dataset is selected</source>
        <translation>Aucun jeu de données sélectionné</translation>
    </message>
    <message>
        <source>Select a dataset to see its snapshots.</source>
        <translation>Sélectionnez un jeu de données pour voir ses instantanés.</translation>
    </message>
    <message>
        <source>Reading the snapshots of %1</source>
        <translation>Lecture des instantanés de %1</translation>
    </message>
    <message>
        <source>The snapshots of %1 could not be read</source>
        <translation>Les instantanés de %1 n’ont pas pu être lus</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Réessayer</translation>
    </message>
    <message>
        <source>%1 has no snapshots</source>
        <translation>%1 n’a pas d’instantanés</translation>
    </message>
    <message numerus="yes">
        <source>%n snapshot(s) of %1</source>
        <translation>
            <numerusform>%n instantané de %1</numerusform>
            <numerusform>%n instantanés de %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TextReport</name>
    <message numerus="yes">
        <source>%n pool(s) on this machine</source>
        <translation>
            <numerusform>%n pool sur cette machine</numerusform>
            <numerusform>%n pools sur cette machine</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pool(s) in %1</source>
        <translation>
            <numerusform>%n pool dans %1</numerusform>
            <numerusform>%n pools dans %1</numerusform>
        </translation>
    </message>
    <message>
        <source>The datasets of %1 could not be read: %2</source>
        <translation>Les jeux de données de %1 n’ont pas pu être lus : %2</translation>
    </message>
</context>
<context>
    <name>TranscriptBar</name>
    <message>
        <source>Command:</source>
        <translation>Commande :</translation>
    </message>
    <message>
        <source>What you do here is shown as a command</source>
        <translation>Ce que vous faites ici s’affiche comme commande</translation>
    </message>
    <message>
        <source>Equivalent command</source>
        <translation>Commande équivalente</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>Copier la commande</translation>
    </message>
    <message>
        <source>Copy this command; the arrow lists earlier ones</source>
        <translation>Copier cette commande ; la flèche liste les précédentes</translation>
    </message>
</context>
<context>
    <name>VdevModel</name>
    <message>
        <source>Logs</source>
        <translation>Journaux</translation>
    </message>
    <message>
        <source>Cache</source>
        <translation>Cache</translation>
    </message>
    <message>
        <source>Spares</source>
        <translation>Disques de secours</translation>
    </message>
    <message>
        <source>Special (metadata)</source>
        <translation>Spécial (métadonnées)</translation>
    </message>
    <message>
        <source>Deduplication tables</source>
        <translation>Tables de déduplication</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Périphérique</translation>
    </message>
    <message>
        <source>State</source>
        <translation>État</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Taille</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>Remarque</translation>
    </message>
    <message>
        <source>Errors of this kind since the pool was opened</source>
        <translation>Erreurs de ce type depuis l’ouverture du pool</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>Lecture</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>Écriture</translation>
    </message>
    <message>
        <source>Checksum</source>
        <translation>Somme de contrôle</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>There is no page %1. Pages: %2</source>
        <translation>Il n’y a pas de page %1. Pages : %2</translation>
    </message>
</context>
</TS>
